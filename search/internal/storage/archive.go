package storage

import (
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"unsafe"
)

// An Archive saves a search or loads it: the same functions run through what a
// checkpoint holds, in both directions. The first error stays, and stops everything.
type Archive struct {
	w   io.Writer // to save to, or else
	r   io.Reader // to load from
	err error
}

// Saving tells whether it saves; else it loads.
func (a *Archive) Saving() bool { return a.w != nil }

// raw saves b, or loads as many bytes into it.
func (a *Archive) raw(b []byte) {
	switch {
	case a.err != nil:
	case a.Saving():
		_, a.err = a.w.Write(b)
	default:
		_, a.err = io.ReadFull(a.r, b)
	}
}

// Values archives what some pointers point to: integers, truth values, and structs, slices
// and pointers of such.
func (a *Archive) Values(pointers ...any) {
	for _, p := range pointers {
		a.value(reflect.ValueOf(p).Elem())
	}
}

func (a *Archive) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			a.value(reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()) // f, even if it is not exported
		}
	case reflect.Slice:
		if n := a.length(v.Len()); !a.Saving() {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			a.value(v.Index(i))
		}
	case reflect.Pointer:
		if n := a.number(toInt(!v.IsNil())); !a.Saving() && n == 1 {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if !v.IsNil() {
			a.value(v.Elem())
		}
	case reflect.Bool:
		v.SetBool(a.number(toInt(v.Bool())) == 1)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(a.number(uint64(v.Int()))))
	default:
		v.SetUint(a.number(v.Uint()))
	}
}

func toInt(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// number archives a number, and returns it.
func (a *Archive) number(n uint64) uint64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	a.raw(b[:])
	return binary.LittleEndian.Uint64(b[:])
}

// length archives the length of a slice, and returns it. The checksum vouches for it.
func (a *Archive) length(n int) int {
	if n = int(a.number(uint64(n))); a.err != nil {
		return 0
	}
	return n
}

// bytes archives a slice of them.
func (a *Archive) bytes(b *[]byte) {
	if n := a.length(len(*b)); !a.Saving() {
		*b = make([]byte, n)
	}
	a.raw(*b)
}

// Expect saves a text, or demands that it is the one that was saved.
func (a *Archive) Expect(what, text string) {
	b := []byte(text)
	if a.bytes(&b); a.err == nil && string(b) != text {
		a.err = fmt.Errorf("it is of another %s: %q, this one is %q", what, b, text)
	}
}

// spillable archives data that may be in a file; then buffer helps to read it.
func (a *Archive) spillable(s *Spillable, buffer *[]byte) {
	data, err := s.Load(buffer)
	if err != nil {
		a.err = err
		return
	}
	a.bytes(&data)
	if !a.Saving() {
		s.Data = data
	}
}
