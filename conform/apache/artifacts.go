package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// pom names what Maven fetches: the broker with all it needs, and a logger
// that writes to standard error.
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>fencecheck</groupId>
  <artifactId>apache</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>%s</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-simple</artifactId>
      <version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
`

// copyDependencies is the goal, of the version that this was tested with.
const copyDependencies = "org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies"

// artifacts returns the folder with Kafka's jars, which Maven fills the first
// time.
func artifacts(ctx context.Context, s settings) (string, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return "", errors.New("java is not found: install Java 17 or later, as openjdk-17-jre-headless")
	}
	cache, err := s.cacheFolder()
	if err != nil {
		return "", err
	}
	libs := filepath.Join(cache, "libs")
	if _, err := os.Stat(libs); err == nil {
		return libs, nil
	}
	if _, err := exec.LookPath("mvn"); err != nil {
		return "", errors.New("mvn is not found: install Maven; it fetches Apache Kafka the first time")
	}
	return libs, fetch(ctx, s, cache, libs)
}

// cacheFolder keeps the versions of Kafka apart.
func (s settings) cacheFolder() (string, error) {
	folder := s.cache
	if folder == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("no cache folder, name one with --cache: %w", err)
		}
		folder = filepath.Join(user, "fencecheck")
	}
	folder, err := filepath.Abs(filepath.Join(folder, "kafka-"+s.version))
	if err != nil {
		return "", err
	}
	return folder, os.MkdirAll(folder, 0o755)
}

// fetch lets Maven copy the jars into a folder of its own, which takes its
// name only when it is full: a fetch that is interrupted leaves nothing behind
// that looks like a success.
func fetch(ctx context.Context, s settings, cache, libs string) error {
	work, err := os.MkdirTemp(cache, "fetch-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	file := filepath.Join(work, "pom.xml")
	if err := os.WriteFile(file, fmt.Appendf(nil, pom, s.version), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "apache: fetching Apache Kafka %s with Maven into %s\n", s.version, cache)
	full := filepath.Join(work, "libs")
	c := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", file, copyDependencies, "-DincludeScope=runtime", "-DoutputDirectory="+full)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("fetching with Maven failed for Apache Kafka %s: %w\n%s", s.version, err, lastLines(string(out), 15))
	}
	if err := os.Rename(full, libs); err != nil && !filled(libs) {
		return err
	}
	return nil
}

// filled: another process that fetched at the same time was faster.
func filled(libs string) bool {
	_, err := os.Stat(libs)
	return err == nil
}
