package hubtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Role is what an account may do.
type Role string

const (
	RoleWrite    Role = "write"    // everything
	RoleRead     Role = "read"     // reads everything, writes nothing
	RolePR       Role = "pr"       // reads everything, writes by pull request alone
	RoleOutsider Role = "outsider" // reads what anybody may: not what is private or gated
)

// Account is a token and who comes with it.
type Account struct {
	Name  string
	Token string
	Role  Role
}

// account finds who asks; nil is nobody in particular.
func (h *Hub) account(r *http.Request) (*Account, error) {
	given := r.Header.Get("Authorization")
	if given == "" {
		return nil, nil
	}
	token, bearer := strings.CutPrefix(given, "Bearer ")
	account, known := h.accounts[token]
	if !bearer || !known {
		return nil, refuse(http.StatusUnauthorized, "", "Invalid credentials in Authorization header")
	}
	return &account, nil
}

// errAnonymous does not tell whether there is such a repo.
func errAnonymous() error {
	err := refuse(http.StatusUnauthorized, "", "Invalid username or password.")
	err.header = map[string]string{"WWW-Authenticate": `Bearer realm="Authentication required"`}
	return err
}

func (a *Account) insider() bool { return a != nil && a.Role != RoleOutsider }

// mayRead says why an account may not read a repo; missing is one it must not know of.
func (a *Account) mayRead(r *repo) error {
	switch {
	case r == nil || r.Private && !a.insider():
		if a == nil {
			return errAnonymous()
		}
		return refuse(http.StatusNotFound, "RepoNotFound", "Repository not found")
	case r.Disabled:
		return refuse(http.StatusForbidden, "", "Access to this resource is disabled.")
	case r.Gated && a == nil:
		return refuse(http.StatusUnauthorized, "GatedRepo", "Access to dataset "+r.name+" is restricted. You must have access to it and be authenticated to access it. Please log in.")
	case r.Gated && !a.insider():
		return refuse(http.StatusForbidden, "GatedRepo", "Access to dataset "+r.name+" is restricted and you are not in the authorized list.")
	}
	return nil
}

// mayWrite says why an account may not write, where pull says if it asks for a pull request only.
func (a *Account) mayWrite(pull bool) error {
	switch {
	case a == nil:
		return errAnonymous()
	case a.Role == RoleWrite, a.Role == RolePR && pull:
		return nil
	case a.Role == RolePR:
		return refuse(http.StatusForbidden, "", "Forbidden: you may open a pull request, pass `create_pr=1` as a query parameter to do so")
	}
	return refuse(http.StatusForbidden, "", "Forbidden: you must use a write token to upload to a repository.")
}

// ParseAccount reads TOKEN=ROLE.
func ParseAccount(name, s string) (Account, error) {
	token, role, ok := strings.Cut(s, "=")
	if !ok || token == "" || !slices.Contains([]Role{RoleWrite, RoleRead, RolePR, RoleOutsider}, Role(role)) {
		return Account{}, fmt.Errorf("account %q: want TOKEN=ROLE with the role write, read, pr or outsider", s)
	}
	return Account{Name: name, Token: token, Role: Role(role)}, nil
}
