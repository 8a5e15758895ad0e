package hub

import "time"

// SetIdle sets how long nothing may move in a request of a repository of the hub.
func SetIdle(repo Repo, d time.Duration) { repo.(*remote).idle = d }
