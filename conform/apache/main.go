// Command apache runs one Apache Kafka broker on loopback for tests: KRaft,
// one node, data in a temporary folder, with short sessions allowed. It needs
// Java 17 and Maven, which fetches Kafka once into the user's cache folder.
//
// With a command, it runs the command against the broker, ends the broker, and
// exits with the command's status:
//
//	go run ./conform/apache -- go test -p 1 ./conform/...
//
// (go run itself exits with 1 where the command's status is another than 0; a
// built binary passes it on.)
//
// The command finds the broker's address in FENCECHECK_BOOTSTRAP. It can have the
// broker killed, and started again after a while, by sending a line such as "3s"
// to the address in FENCECHECK_RESTART; the answer is "ok". Without a
// command it prints the address and runs until it is interrupted, or until the
// pipe that is its standard input is closed:
//
//	$ go run ./conform/apache
//	bootstrap=127.0.0.1:41233
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// The environment variables in which a command finds the broker, and who kills
// it and starts it again (wishes).
const (
	Bootstrap = "FENCECHECK_BOOTSTRAP"
	Restart   = "FENCECHECK_RESTART"
)

func main() {
	// The broker is killed when the thread that started it dies, so that one
	// has to live as long as the process.
	runtime.LockOSThread()
	os.Exit(run(os.Args[1:]))
}

// run is main with its exit status: the command's, 2 for bad usage, 1 for a
// broker that did not start or died.
func run(args []string) int {
	s, command, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	status, err := serve(ctx, s, command)
	if err != nil {
		fmt.Fprintln(os.Stderr, "apache:", err)
		return max(status, 1)
	}
	return status
}

// parse reads the flags; what follows them is the command.
func parse(args []string) (settings, []string, error) {
	s := settings{}
	f := flag.NewFlagSet("apache", flag.ContinueOnError)
	f.StringVar(&s.version, "version", "4.4.0", "version of Apache Kafka")
	f.StringVar(&s.cache, "cache", "", "folder for Kafka's jars; empty: fencecheck in the user's cache folder")
	f.IntVar(&s.port, "port", 0, "port on 127.0.0.1; 0: a free one")
	f.IntVar(&s.heap, "heap", 320, "heap of the broker in MiB")
	f.DurationVar(&s.minSession, "min-session", 100*time.Millisecond, "group.min.session.timeout.ms")
	f.DurationVar(&s.initialDelay, "initial-delay", 800*time.Millisecond, "group.initial.rebalance.delay.ms")
	f.IntVar(&s.maxSize, "max-size", 0, "group.max.size; 0: Kafka's default, no limit in practice")
	f.DurationVar(&s.patience, "patience", 90*time.Second, "how long the broker may take to start")
	if err := f.Parse(args); err != nil {
		return s, nil, err
	}
	return s, f.Args(), nil
}

// serve starts the broker and stays until the command, or the wish to have a
// broker, has ended.
func serve(ctx context.Context, s settings, command []string) (status int, err error) {
	libs, err := artifacts(ctx, s)
	if err != nil {
		return 1, err
	}
	b, err := start(ctx, s, libs)
	if err != nil {
		return 1, err
	}
	defer b.stop()
	if len(command) > 0 {
		return b.attend(ctx, command)
	}
	fmt.Printf("bootstrap=%s\n", b.address)
	select {
	case <-ctx.Done():
		return 0, nil
	case <-closed(os.Stdin):
		return 0, nil
	case <-b.died:
		return 1, b.death()
	}
}

// closed is closed when in, a pipe, has no writers any more. Anything that is
// no pipe, such as the null device of a job in the background, never is.
func closed(in *os.File) <-chan struct{} {
	done := make(chan struct{})
	if info, err := in.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return done
	}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		close(done)
	}()
	return done
}

// attend runs a command beside the broker, which is restarted when the command
// wishes. That is done here, by the thread that the broker must not outlive.
func (b *broker) attend(ctx context.Context, command []string) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	address, restarts, err := wishes(ctx)
	if err != nil {
		return 1, err
	}
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 10 * time.Second
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.Env = append(os.Environ(), Bootstrap+"="+b.address, Restart+"="+address)
	if err := c.Start(); err != nil {
		return 1, err
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	for {
		select {
		case w := <-restarts:
			w.answer <- b.restart(ctx, w.down)
		case err := <-done:
			return b.outcome(c, err)
		}
	}
}

// outcome is the command's exit status, unless the broker died.
func (b *broker) outcome(c *exec.Cmd, err error) (int, error) {
	select {
	case <-b.died:
		return c.ProcessState.ExitCode(), b.death()
	default:
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}
