package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/open-index/ccnews/lib/retry"
)

const (
	// maxLFS is how many LFS files the hub takes in one commit, maxPayload how many
	// bytes the commit itself may have.
	maxLFS     = 25_000
	maxPayload = 1_000_000_000
	// maxQuota is the longest that the hub's quota of commits takes to come back.
	maxQuota = 2 * time.Hour
)

// transaction is a [Change] on its way. Each try begins by asking what the
// repository has, so that after an answer that was lost nothing is sent that has
// landed already: https://github.com/huggingface/huggingface_hub/issues/3701.
type transaction struct {
	*remote
	change  Change
	files   []*adding
	deletes []*deletion

	doubtful bool // the answer to an earlier try was lost
	lost     int  // tries that failed because the store lacked an object
	moved    int  // tries that failed with ErrMoved after one whose answer was lost
}

// maxMoved is how often the head that moved may be our own commit, which reads of
// the repository do not show yet.
const maxMoved = 3

func (r *remote) Commit(ctx context.Context, change Change) (Landed, error) {
	local := change
	local.PullRequest = false // which a hub has
	if err := checkChange(local); err != nil {
		return Landed{}, fmt.Errorf("%s: %w", r, err)
	}
	files, err := r.sum(ctx, change.Adds)
	if err != nil {
		return Landed{}, err
	}
	t := &transaction{remote: r, change: change, files: files, deletes: deletions(change.Deletes)}
	return t.run(ctx)
}

func (t *transaction) run(ctx context.Context) (Landed, error) {
	series := t.commitPolicy().Start()
	for {
		landed, passing, err := t.try(ctx)
		if passing == nil {
			return landed, err
		}
		if err := series.Wait(ctx, t.what("commit"), passing); err != nil {
			return Landed{}, err
		}
	}
}

// try goes once through all that a commit takes. passing is a failure of the commit
// itself, for the policy to judge; other requests have been repeated already.
func (t *transaction) try(ctx context.Context) (landed Landed, passing, err error) {
	rest, err := t.survey(ctx)
	if err != nil {
		return Landed{}, nil, err
	}
	if len(rest.lines) == 0 {
		landed, err = t.nothing(ctx)
		if errors.Is(err, errLags) {
			return Landed{}, retry.Transient(err), nil
		}
		return landed, nil, err
	}
	if err := t.store(ctx, rest.objects, t.change.PullRequest); err != nil {
		return Landed{}, nil, err
	}
	if err := rest.check(); err != nil {
		return Landed{}, nil, fmt.Errorf("%s: %w", t.remote, err)
	}
	landed, err = t.post(ctx, rest)
	return landed, t.judge(err, rest), err
}

// commitPolicy waits for the quota of commits if that is wanted.
func (r *remote) commitPolicy() retry.Policy {
	p := r.policy
	if r.options.Wait {
		p.MaxAsked = max(p.MaxAsked, maxQuota)
		p.Total = max(p.Total, 4*maxQuota)
	}
	return p
}

// nothing is what is landed when the repository has it all.
func (t *transaction) nothing(ctx context.Context) (Landed, error) {
	head, err := t.Head(ctx)
	if err != nil {
		return Landed{}, err
	}
	if t.change.Parent != "" && t.change.Parent != head && !t.doubtful {
		return Landed{}, fmt.Errorf("%s: %w: from %s to %s", t.remote, ErrMoved, t.change.Parent, head)
	}
	landed := Landed{Commit: head, Files: t.outcomes()}
	if t.doubtful {
		if err := t.seen(ctx, head); err != nil {
			return Landed{}, err
		}
		landed.URL = t.login.at("/datasets/"+escapePath(t.name.ID)+"/commit/"+head, "").String()
	}
	return landed, nil
}

// errLags says that a commit has landed that the head does not show yet.
var errLags = errors.New("the commit has landed, and the head that the hub tells is still an older one")

// seen makes sure that head has what the commit did whose answer was lost.
func (t *transaction) seen(ctx context.Context, head string) error {
	found, err := t.lookup(ctx, head, t.paths())
	if err != nil {
		return err
	}
	for _, f := range t.files {
		if f.doubtful && !f.is(found[f.add.Path]) {
			return errLags
		}
	}
	for _, d := range t.deletes {
		if _, ok := found[strings.TrimSuffix(d.path, "/")]; ok && d.doubtful && d.state == Absent {
			return errLags
		}
	}
	return nil
}

// pullQuery asks for a pull request, if that is wanted.
func (t *transaction) pullQuery() string {
	if t.change.PullRequest {
		return "create_pr=1"
	}
	return ""
}

// commitAnswer is the hub's to a commit.
type commitAnswer struct {
	Commit      string `json:"commitOid"`
	URL         string `json:"commitUrl"`
	PullRequest string `json:"pullRequestUrl"`
}

// post sends the commit once.
func (t *transaction) post(ctx context.Context, rest *survey) (Landed, error) {
	req := request{
		method: http.MethodPost,
		url:    t.api("commit", t.name.Revision, t.pullQuery()),
		header: http.Header{"Accept": {jsonType}, "Content-Type": {"application/x-ndjson"}},
		body:   func() (io.ReadCloser, error) { return openLines(rest.lines), nil },
		length: rest.size(),
		writes: true,
	}
	var answer commitAnswer
	err := t.once(ctx, req, func(resp *http.Response) error {
		err := decode(resp, &answer)
		if err == nil && !isHex(answer.Commit, 40) {
			err = retry.Transient(errors.New("the hub's answer names no commit"))
		}
		return err
	})
	if err != nil {
		return Landed{}, err
	}
	for _, f := range t.files {
		if f.state == Added {
			t.tell(f, f.add.Size)
		}
	}
	return Landed{answer.Commit, cmp.Or(answer.PullRequest, answer.URL), t.outcomes()}, nil
}

// judge says what a failure of post means for the next try: whether it passes, and
// whether the commit may have landed.
func (t *transaction) judge(err error, rest *survey) error {
	if err == nil {
		return nil
	}
	f, answered := errors.AsType[*failure](err)
	if !answered || f.status.Status >= 500 || f.status.Status == http.StatusRequestTimeout {
		if t.change.PullRequest {
			return retry.Permanent(fmt.Errorf("%w; whether the pull request was opened is not known: look at the repository's page before you run this again", err))
		}
		t.doubt(rest)
		return err
	}
	switch {
	case f.kind == ErrLost:
		if t.lost++; t.lost == 1 {
			return retry.Transient(err)
		}
		if lost := rest.unsourced(); len(lost) > 0 {
			err = fmt.Errorf("%w: %w", &LostError{lost}, err)
		}
		return fmt.Errorf("%w; the store says that it has every object", err)
	case f.kind == ErrMoved && t.change.Parent == "":
		f.hint = "if this stays so, the token may be one that can only propose: try a pull request"
		return retry.Transient(err)
	case f.kind == ErrMoved && t.doubtful && t.moved < maxMoved:
		t.moved++
		return retry.Transient(err)
	case f.status.Status == http.StatusConflict:
		return retry.Transient(err) // another commit holds the lock
	case f.kind == ErrNoEntry && len(t.deletes) > 0:
		return retry.Transient(err) // somebody else deleted it just now
	}
	return err
}
