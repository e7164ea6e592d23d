package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// settings say which broker is wanted.
type settings struct {
	version      string
	cache        string // "" is the user's cache folder
	port         int    // 0 is any free port
	heap         int    // MiB
	minSession   time.Duration
	initialDelay time.Duration
	maxSize      int // 0 is Kafka's default
	patience     time.Duration
}

// properties is the broker's configuration. One thread a stage (network,
// requests, and one partition of offsets, which is one thread of the group
// coordinator) decides requests in the order in which they arrive, also when
// they come over several connections.
func (s settings) properties(folder string, port, controller int) string {
	lines := []string{
		"process.roles=broker,controller",
		"node.id=1",
		fmt.Sprintf("controller.quorum.voters=1@127.0.0.1:%d", controller),
		fmt.Sprintf("listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d", port, controller),
		fmt.Sprintf("advertised.listeners=PLAINTEXT://127.0.0.1:%d", port),
		"controller.listener.names=CONTROLLER",
		"listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
		"log.dirs=" + filepath.Join(folder, "data"),
		"auto.create.topics.enable=false",
		"num.network.threads=1",
		"num.io.threads=1",
		"log.cleaner.dedupe.buffer.size=4194304",
		"offsets.topic.num.partitions=1",
		"offsets.topic.replication.factor=1",
		"offsets.topic.segment.bytes=16777216",
		"transaction.state.log.num.partitions=1",
		"transaction.state.log.replication.factor=1",
		"transaction.state.log.min.isr=1",
		"transaction.state.log.segment.bytes=16777216",
		"transaction.abort.timed.out.transaction.cleanup.interval.ms=100",
		fmt.Sprintf("group.min.session.timeout.ms=%d", s.minSession.Milliseconds()),
		fmt.Sprintf("group.initial.rebalance.delay.ms=%d", s.initialDelay.Milliseconds()),
	}
	if s.maxSize > 0 {
		lines = append(lines, fmt.Sprintf("group.max.size=%d", s.maxSize))
	}
	return strings.Join(lines, "\n") + "\n"
}
