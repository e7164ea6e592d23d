package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"fencecheck/conform/admin"
)

// broker is a running Apache Kafka.
type broker struct {
	settings settings
	libs     string
	address  string
	folder   string // everything that it writes
	log      *tail
	process  *exec.Cmd
	died     chan struct{} // closed when the process has ended
}

// clusterID is any id: 16 bytes in Kafka's base 64.
const clusterID = "ZmVuY2VjaGVjay0wMDAwMQ"

// start formats a fresh folder, starts the broker, and waits until it can
// coordinate groups.
func start(ctx context.Context, s settings, libs string) (*broker, error) {
	port, controller, err := ports(s.port)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "conform-apache-")
	if err != nil {
		return nil, err
	}
	b := &broker{settings: s, libs: libs,
		address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), folder: folder,
		log: &tail{}, died: make(chan struct{}),
	}
	err = b.format(ctx, port, controller)
	if err == nil {
		err = b.launch(ctx)
	}
	if err != nil {
		b.stop()
		return nil, err
	}
	return b, nil
}

// ports finds the broker's and the controller's port. A wanted port that is in
// use is an error now, and not a line in the broker's log later.
func ports(wanted int) (port, controller int, err error) {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(wanted)))
	if err != nil {
		return 0, 0, fmt.Errorf("port %d of 127.0.0.1 is taken, name another with --port, or 0 for any: %w", wanted, err)
	}
	defer func() { _ = l.Close() }()
	c, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = c.Close() }()
	return l.Addr().(*net.TCPAddr).Port, c.Addr().(*net.TCPAddr).Port, nil
}

func (b *broker) config() string { return filepath.Join(b.folder, "server.properties") }

// format prepares the folder.
func (b *broker) format(ctx context.Context, port, controller int) error {
	if err := os.WriteFile(b.config(), []byte(b.settings.properties(b.folder, port, controller)), 0o644); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, "java", "-XX:TieredStopAtLevel=1", "-cp", b.jars(), "kafka.tools.StorageTool", "format", "-t", clusterID, "-c", b.config())
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("the broker's folder could not be formatted: %w\n%s", err, lastLines(string(out), 15))
	}
	return nil
}

func (b *broker) jars() string { return filepath.Join(b.libs, "*") }

// launch starts the process, and waits until it can coordinate groups.
func (b *broker) launch(ctx context.Context) error {
	b.process = exec.Command("java", fmt.Sprintf("-Xmx%dm", b.settings.heap), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", b.jars(), "kafka.Kafka", b.config())
	b.process.Stdout, b.process.Stderr = b.log, b.log
	b.process.SysProcAttr = apart()
	if err := b.process.Start(); err != nil {
		return fmt.Errorf("java could not be started: %w", err)
	}
	process, died := b.process, make(chan struct{})
	b.died = died
	go func() {
		_ = process.Wait()
		close(died)
	}()
	return b.await(ctx, b.settings.patience)
}

// await returns when the broker answers, or will not.
func (b *broker) await(ctx context.Context, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ready := make(chan error, 1)
	go func() { ready <- admin.Await(ctx, b.address) }()
	select {
	case <-b.died:
		return b.death()
	case err := <-ready:
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("the broker did not answer within %v; the end of its log:\n%s", patience, b.log.lines(15))
		}
		return err
	}
}

// death says what a broker that has ended said last.
func (b *broker) death() error {
	return fmt.Errorf("the broker ended (%v); the end of its log:\n%s", b.process.ProcessState, b.log.lines(15))
}

// kill ends the process as a crash does.
func (b *broker) kill() {
	if b.process != nil && b.process.Process != nil {
		_ = b.process.Process.Signal(syscall.SIGKILL)
		<-b.died
	}
}

// restart kills the broker, and starts it again after a while.
func (b *broker) restart(ctx context.Context, down time.Duration) error {
	b.kill()
	select {
	case <-time.After(down):
	case <-ctx.Done():
		return ctx.Err()
	}
	return b.launch(ctx)
}

// stop ends the broker and removes its folder. What a broker for tests has
// stored is not worth an orderly shutdown of several seconds.
func (b *broker) stop() {
	b.kill()
	_ = os.RemoveAll(b.folder)
}
