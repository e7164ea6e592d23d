package groups

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencecheck/conform/admin"
	"fencecheck/conform/frame"
	"fencecheck/model"
)

// bootstrap is a real broker, where CI has started one; "" is the embedded one.
func bootstrap() string { return os.Getenv("FENCECHECK_BOOTSTRAP") }

// site is a broker that several tests share.
type site struct {
	*admin.Broker
	known []frame.Known
	plan  *frame.Plan[Step]
}

var sharedSite = sync.OnceValues(func() (*site, error) {
	s := &site{}
	address := bootstrap()
	if address == "" {
		var err error
		if address, _, err = admin.Embedded(); err != nil {
			return nil, err
		}
		s.known = frame.Of(frame.KfakeKnown(), frame.Groups)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	if s.Broker, err = admin.Open(ctx, address, 10*time.Second, Versions()); err != nil {
		return nil, err
	}
	s.Embedded = bootstrap() == ""
	s.plan, err = makePlan(ctx, newGame(model.Mutations{}, s.known, s.Limits), s.Limits)
	return s, err
})

func theSite(t *testing.T) *site {
	t.Helper()
	s, err := sharedSite()
	require.NoError(t, err)
	return s
}

// TestMain removes from a shared broker what the tests have made.
func TestMain(m *testing.M) {
	status := m.Run()
	if bootstrap() != "" {
		if s, err := sharedSite(); err == nil {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			s.Close(ctx)
			cancel()
		}
	}
	os.Exit(status)
}

// runner plays on the site with mutations switched on.
func (s *site) runner(off model.Mutations) *frame.Runner[Step] {
	c := frame.Config{Mutations: off, Known: s.known, Parallel: 24}
	return frame.New(c, New(s.Broker, c))
}

// player is one that plays on the site with mutations switched on.
func (s *site) player(t *testing.T, off model.Mutations) (*frame.Runner[Step], *frame.Player[Step]) {
	t.Helper()
	r := s.runner(off)
	p := r.Player()
	t.Cleanup(p.Close)
	return r, p
}
