package counterexamples

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"fencecheck/scenarios"
)

// A document is a JSON text with a name. Its values are nodes that know where they
// stand, so that whatever is wrong with one can be said with its place.
type document struct {
	name string
	text []byte
}

// fail is an error at a node.
func (d *document) fail(at ast.Node, field, format string, args ...any) error {
	place := at.GetToken().Position
	return &scenarios.InputError{File: d.name, Line: place.Line, Column: place.Column, Field: field, Problem: fmt.Sprintf(format, args...)}
}

// failAt is an error at an offset, where there are no nodes.
func (d *document) failAt(offset int, format string, args ...any) error {
	before := d.text[:min(max(offset, 0), len(d.text))]
	return &scenarios.InputError{File: d.name, Problem: fmt.Sprintf(format, args...),
		Line: 1 + bytes.Count(before, []byte("\n")), Column: len(before) - bytes.LastIndexByte(before, '\n')}
}

// parse reads the one value that a document consists of. JSON is YAML, and the
// YAML library knows places; that it is JSON is for the JSON library to say.
func (d *document) parse() (ast.Node, error) {
	if err := d.isJSON(); err != nil {
		return nil, err
	}
	tree, err := parser.ParseBytes(d.text, 0)
	var located yaml.Error
	switch {
	case err == nil:
		return tree.Docs[0].Body, nil
	case errors.As(err, &located) && strings.Contains(located.GetMessage(), "already defined"):
		key := located.GetToken()
		return nil, d.fail(ast.String(key), key.Value, "found this key twice; right would be once")
	}
	return nil, d.failAt(0, "%v", err)
}

func (d *document) isJSON() error {
	dec := json.NewDecoder(bytes.NewReader(d.text))
	var value json.RawMessage
	err := dec.Decode(&value)
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return d.failAt(len(d.text), "the file ends in the middle of the counterexample; it has been cut off")
	case errors.As(err, &syntax):
		return d.failAt(int(syntax.Offset)-1, "this is not JSON: %s", syntax.Error())
	case err != nil:
		return d.failAt(0, "this is not JSON: %v", err)
	}
	rest := d.text[dec.InputOffset():]
	if more := bytes.TrimSpace(rest); len(more) > 0 {
		return d.failAt(len(d.text)-len(bytes.TrimLeft(rest, " \t\r\n")), "found more behind the end of the counterexample; right would be one object in a file")
	}
	return nil
}

// entries are the keys and values of an object; it has none where it is no object.
func entries(n ast.Node) []*ast.MappingValueNode {
	if m, ok := n.(*ast.MappingNode); ok {
		return m.Values
	}
	return nil
}

// get is the value of a key, nil if there is none.
func get(n ast.Node, key string) ast.Node {
	for _, e := range entries(n) {
		if e.Key.GetToken().Value == key {
			return e.Value
		}
	}
	return nil
}

// object demands an object with no other keys than these.
func (d *document) object(n ast.Node, field string, keys ...string) error {
	if n.Type() != ast.MappingType {
		return d.fail(n, field, "found %s; right would be an object", what(n))
	}
	for _, e := range entries(n) {
		if key := e.Key.GetToken().Value; !slices.Contains(keys, key) {
			return d.fail(e.Key, field, "unknown key %q; %s", key, scenarios.Nearest(key, keys))
		}
	}
	return nil
}

// word demands a key with a string.
func (d *document) word(n ast.Node, field, key string) (string, ast.Node, error) {
	v := get(n, key)
	if v == nil {
		return "", nil, d.fail(n, field, "the key %q is missing", key)
	}
	if v.GetToken().Type != token.DoubleQuoteType {
		return "", nil, d.fail(v, strings.TrimPrefix(field+"."+key, "."), "found %s; right would be a string", what(v))
	}
	return v.GetToken().Value, v, nil
}

// what is a value in words.
func what(n ast.Node) string {
	switch n.Type() {
	case ast.MappingType:
		return "an object"
	case ast.SequenceType:
		return "an array"
	}
	return n.GetToken().Value
}
