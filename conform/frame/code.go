package frame

// A Coder writes the fields of a state one after the other, or reads them back:
// one list of fields serves both.
type Coder struct {
	out     []byte
	in      []byte
	reading bool
}

// Append appends the encoding of a state, of which code lists the fields.
func Append[S any](dst []byte, s *S, code func(*S, *Coder)) []byte {
	c, copied := Coder{out: dst}, *s
	code(&copied, &c)
	return c.out
}

// Decode is the inverse of Append.
func Decode[S any](src []byte, s *S, code func(*S, *Coder)) {
	var zero S
	*s = zero
	code(s, &Coder{in: src, reading: true})
}

// Coded is the part of a system that says how states are encoded and what steps
// are called.
type Coded[S any] struct {
	Fields func(*S, *Coder) // lists the fields
	Names  []string         // of the steps
}

// Append encodes a state.
func (y Coded[S]) Append(dst []byte, s *S) []byte { return Append(dst, s, y.Fields) }

// Decode decodes a state.
func (y Coded[S]) Decode(src []byte, s *S) { Decode(src, s, y.Fields) }

// Ops names the steps.
func (y Coded[S]) Ops() []string { return y.Names }

// Outcomes: what is answered is counted by triples instead.
func (y Coded[S]) Outcomes() []string { return nil }

// Code writes or reads one number of at most 16 bits.
func Code[T ~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~uint64](c *Coder, v *T) {
	if c.reading {
		*v = T(int16(uint16(c.in[0])<<8 | uint16(c.in[1])))
		c.in = c.in[2:]
		return
	}
	c.out = append(c.out, byte(uint64(*v)>>8), byte(*v))
}

// Byte writes or reads one number of at most 8 bits.
func Byte[T ~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~uint64](c *Coder, v *T) {
	if c.reading {
		*v = T(c.in[0])
		c.in = c.in[1:]
		return
	}
	c.out = append(c.out, byte(*v))
}

// Flag writes or reads one bool.
func Flag(c *Coder, v *bool) {
	b := Bit(*v)
	Code(c, &b)
	*v = b != 0
}

// Bit is 1 for true.
func Bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// An Index numbers the steps of an exploration, for search to carry.
type Index[T comparable] struct {
	steps   []T
	numbers map[T]uint32
}

// NewIndex is an index of nothing yet.
func NewIndex[T comparable]() *Index[T] { return &Index[T]{numbers: map[T]uint32{}} }

// Number is that of a step.
func (x *Index[T]) Number(step T) uint32 {
	n, ok := x.numbers[step]
	if !ok {
		n = uint32(len(x.steps))
		x.steps, x.numbers[step] = append(x.steps, step), n
	}
	return n
}

// Step is the one with a number.
func (x *Index[T]) Step(number uint32) T { return x.steps[number] }
