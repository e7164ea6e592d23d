package counterexamples

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"fencecheck/scenarios"
)

// A node is a JSON value that knows where it stands, so that whatever is wrong
// with it can be said with its place.
type node struct {
	from, to int // offsets of its text
	value    any // string, json.Number, bool, nil; an object or array has none
	keys     []string
	at       []int   // where each key stands
	items    []*node // of an array, or of an object in the order of its keys
	kind     json.Delim
}

// A document is a JSON text with a name.
type document struct {
	name string
	text []byte
}

// fail is an error at an offset.
func (d *document) fail(offset int, field, format string, args ...any) error {
	before := d.text[:min(offset, len(d.text))]
	return &scenarios.InputError{
		File: d.name, Field: field, Problem: fmt.Sprintf(format, args...),
		Line:   1 + bytes.Count(before, []byte("\n")),
		Column: len(before) - bytes.LastIndexByte(before, '\n'),
	}
}

// parse reads the one value that a document consists of.
func (d *document) parse() (*node, error) {
	dec := json.NewDecoder(bytes.NewReader(d.text))
	dec.UseNumber()
	n, err := d.next(dec)
	if err != nil {
		return nil, err
	}
	rest := int(dec.InputOffset())
	if more := bytes.TrimSpace(d.text[rest:]); len(more) > 0 {
		return nil, d.fail(rest+bytes.Index(d.text[rest:], more), "", "found more behind the end of the counterexample; right would be one object in a file")
	}
	return n, nil
}

// token reads one token and tells where it starts.
func (d *document) token(dec *json.Decoder) (json.Token, int, error) {
	from := int(dec.InputOffset())
	for from < len(d.text) && strings.IndexByte(" \t\r\n,:", d.text[from]) >= 0 {
		from++
	}
	t, err := dec.Token()
	if err == nil {
		return t, from, nil
	}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || from >= len(d.text):
		return nil, from, d.fail(len(d.text), "", "the file ends in the middle of the counterexample; it has been cut off")
	case errors.As(err, &syntax):
		return nil, from, d.fail(max(int(syntax.Offset)-1, 0), "", "this is not JSON: %s", syntax.Error())
	}
	return nil, from, d.fail(from, "", "this is not JSON: %s", err)
}

func (d *document) next(dec *json.Decoder) (*node, error) {
	t, from, err := d.token(dec)
	if err != nil {
		return nil, err
	}
	n := &node{from: from, value: t}
	delim, ok := t.(json.Delim)
	if !ok {
		n.to = int(dec.InputOffset())
		return n, nil
	}
	n.kind, n.value = delim, nil
	for dec.More() {
		if delim == '{' {
			key, at, err := d.token(dec)
			if err != nil {
				return nil, err
			}
			if slices.Contains(n.keys, key.(string)) {
				return nil, d.fail(at, key.(string), "found this key twice; right would be once")
			}
			n.keys, n.at = append(n.keys, key.(string)), append(n.at, at)
		}
		item, err := d.next(dec)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, item)
	}
	if _, _, err := d.token(dec); err != nil {
		return nil, err
	}
	n.to = int(dec.InputOffset())
	return n, nil
}

// get is the value of a key, nil if there is none.
func (n *node) get(key string) *node {
	if i := slices.Index(n.keys, key); i >= 0 {
		return n.items[i]
	}
	return nil
}

// object demands an object with no other keys than these.
func (d *document) object(n *node, field string, keys ...string) error {
	if n.kind != '{' {
		return d.fail(n.from, field, "found %s; right would be an object", n.what())
	}
	for i, key := range n.keys {
		if !slices.Contains(keys, key) {
			return d.fail(n.at[i], field, "unknown key %q; %s", key, scenarios.Nearest(key, keys))
		}
	}
	return nil
}

// word demands a key with a string.
func (d *document) word(n *node, field, key string) (string, *node, error) {
	v := n.get(key)
	if v == nil {
		return "", nil, d.fail(n.from, field, "the key %q is missing", key)
	}
	text, ok := v.value.(string)
	if !ok {
		return "", nil, d.fail(v.from, strings.TrimPrefix(field+"."+key, "."), "found %s; right would be a string", v.what())
	}
	return text, v, nil
}

// what is a value in words.
func (n *node) what() string {
	switch {
	case n.kind == '{':
		return "an object"
	case n.kind == '[':
		return "an array"
	case n.value == nil:
		return "null"
	}
	return fmt.Sprintf("%v", n.value)
}
