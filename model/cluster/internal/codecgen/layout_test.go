package codecgen

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// A field has its bits in a word of a piece.
type field struct {
	path, typ           string
	array               bool
	order, shift, width int
	above, more         int // place and number of its upper bits, if it is in two pieces
	least               int64
	domain              domain
}

// A word is what is read and written at once, at most eight bytes.
type word []field

// A piece of a structure is written as one.
type piece struct {
	name  string
	words []word
	each  []word // of the elements of all arrays in one place
}

// layout is a structure with its fields in their places.
type layout struct {
	structure
	pieces []piece
	rest   []field // what has none
}

// function is what the names of a structure's functions end in.
func (s structure) function() string { return s.name[strings.Index(s.name, ".")+1:] }

// size is how many bytes a word needs.
func (w word) size() int {
	bits := 0
	for _, f := range w {
		bits = max(bits, f.shift+f.width, f.above+f.more)
	}
	return (bits + 7) / 8
}

// number is a field's value as a number of its width, at its place in the word.
func (f field) number(at string) string {
	n := "v." + f.path + at
	if f.typ == "model.Generation" {
		n = "rank.of(" + n + ")"
	}
	switch {
	case f.domain.pack != "":
		n = fmt.Sprintf(f.domain.pack, n)
	case f.domain.signed:
		n = "uint64(uint8(" + n + "))"
	case f.least != 0:
		n = fmt.Sprintf("uint64(%s+%d)", n, -f.least)
	default:
		n = "uint64(" + n + ")"
	}
	if f.more > 0 {
		return fmt.Sprintf("%s&%d<<%d|%[1]s>>%[4]d<<%[5]d", n, uint64(1)<<f.width-1, f.shift, f.width, f.above)
	}
	if f.shift > 0 {
		n += fmt.Sprintf("<<%d", f.shift)
	}
	return n
}

// value is that of a field that is found in a word.
func (f field) value() string {
	n := fmt.Sprintf("w&%d", uint64(1)<<f.width-1)
	if f.shift > 0 {
		n = fmt.Sprintf("w>>%d&%d", f.shift, uint64(1)<<f.width-1)
	}
	if f.more > 0 {
		n += fmt.Sprintf("|w>>%d&%d<<%d", f.above, uint64(1)<<f.more-1, f.width)
	}
	switch {
	case f.domain.unpack != "":
		return fmt.Sprintf(f.domain.unpack, n)
	case f.domain.signed && f.typ == "int8":
		return "int8(" + n + ")"
	case f.domain.signed:
		return f.typ + "(int8(" + n + "))"
	case f.least != 0:
		return fmt.Sprintf("%s(%s) - %d", f.typ, n, -f.least)
	}
	return f.typ + "(" + n + ")"
}

// write writes the functions of a structure.
func (l *layout) write(w io.Writer) {
	for _, p := range l.pieces {
		if !l.never && len(p.words)+len(p.each) > 0 {
			l.writePiece(w, &p)
		}
	}
	l.writeRenumber(w)
	l.writeVisit(w, "names", "k *known", "k.add(%s)", "model.MemberID")
	l.writeVisit(w, "generations", "rank *ranks", "rank.add(%s)", "model.Generation")
}

func (l *layout) writePiece(w io.Writer, p *piece) {
	args, rank := ", v *"+l.name, ""
	if len(p.each) > 0 {
		args += ", n int"
	}
	if slices.ContainsFunc(slices.Concat(p.words...), func(f field) bool { return f.typ == "model.Generation" }) {
		rank = ", rank *ranks"
	}
	var to, from strings.Builder
	writeAppend(&to, p.words, "")
	writeDecode(&from, p.words, "")
	if len(p.each) > 0 {
		fmt.Fprintf(&to, "for i := range n {\n")
		writeAppend(&to, p.each, "[i]")
		fmt.Fprintf(&to, "}\n")
		fmt.Fprintf(&from, "for i := range n {\n")
		writeDecode(&from, p.each, "[i]")
		fmt.Fprintf(&from, "}\n")
	}
	fmt.Fprintf(w, "\nfunc append%s%s(dst []byte%s%s) []byte {\n%s}\n", l.function(), p.name, args, rank, returning(to.String(), "dst"))
	fmt.Fprintf(w, "\nfunc decode%s%s(src []byte%s) []byte {\n%s}\n", l.function(), p.name, args, returning(from.String(), "src"))
}

// returning makes the last statement, where it sets a variable, return its value.
func returning(body, name string) string {
	i := strings.LastIndex(body, name+" = ")
	if strings.HasSuffix(body, "}\n") {
		return body + "return " + name + "\n"
	}
	return body[:i] + "return " + strings.TrimPrefix(body[i:], name+" = ")
}

func writeAppend(w io.Writer, words []word, at string) {
	for _, word := range words {
		line, end := "dst = put(dst, ", fmt.Sprintf(", %d)", word.size())
		switch n := word.size(); n {
		case 1:
			line, end = "dst = append(dst, byte(", "))"
		case 3:
			line, end = "dst = put3(dst, ", ")"
		case 2, 4, 8:
			line, end = fmt.Sprintf("dst = binary.LittleEndian.AppendUint%d(dst, uint%[1]d(", 8*n), "))"
		}
		for i, f := range word {
			if i > 0 {
				line += "|"
			}
			if next := f.number(at); len(line)+len(next) < 140 {
				line += next
			} else {
				fmt.Fprintln(w, line)
				line = next
			}
		}
		fmt.Fprintln(w, line+end)
	}
}

func writeDecode(w io.Writer, words []word, at string) {
	for i, word := range words {
		is := "="
		if i == 0 {
			is = ":="
		}
		fmt.Fprintf(w, "w %s %s\n", is, read(word.size()))
		var to, from string
		for _, f := range word {
			left, right := "v."+f.path+at, f.value()
			if to != "" && len(to)+len(from)+len(left)+len(right) > 140 {
				fmt.Fprintf(w, "%s = %s\n", to, from)
				to, from = "", ""
			}
			to, from = list(to, left), list(from, right)
		}
		fmt.Fprintf(w, "%s = %s\nsrc = src[%d:]\n", to, from, word.size())
	}
}

// read is the number in the first n bytes of src.
func read(n int) string {
	var parts string
	for at := 0; at < n; {
		part, size := "uint64(src[0])", 1
		for bits := 16; bits <= 64; bits *= 2 {
			if at+bits/8 <= n {
				part, size = fmt.Sprintf("uint64(binary.LittleEndian.Uint%d(src))", bits), bits/8
			}
		}
		if at > 0 {
			part = strings.Replace(part, "src)", fmt.Sprintf("src[%d:])", at), 1)
			part = strings.Replace(part, "[0]", fmt.Sprintf("[%d]", at), 1) + fmt.Sprintf("<<%d", 8*at)
			parts += "|"
		}
		parts, at = parts+part, at+size
	}
	return parts
}

func list(all, next string) string {
	if all == "" {
		return next
	}
	return all + ", " + next
}

// writeRenumber writes what a Permutation makes of a structure.
func (l *layout) writeRenumber(w io.Writer) {
	var to, from, elements string
	for _, p := range append(l.pieces, piece{words: []word{l.rest}}) {
		for _, f := range slices.Concat(p.words...) {
			if f.domain.moved != "" {
				to, from = list(to, "to."+f.path), list(from, fmt.Sprintf(f.domain.moved, "v."+f.path))
			}
		}
		for _, f := range slices.Concat(p.each...) {
			element := "v." + f.path + "[p]"
			if f.domain.moved != "" {
				element = fmt.Sprintf(f.domain.moved, element)
			}
			elements += "to." + f.path + "[q] = " + element + "\n"
		}
	}
	if to == "" && (elements == "" || l.fixed) {
		return
	}
	fmt.Fprintf(w, "\nfunc renumber%s(g *Permutation, v, to *%s) {\n", l.function(), l.name)
	if to != "" {
		fmt.Fprintf(w, "%s = %s\n", to, from)
	}
	if elements != "" && !l.fixed {
		fmt.Fprintf(w, "for p, q := range g.Partitions {\n%s}\n", elements)
	}
	fmt.Fprintf(w, "}\n")
}

// writeVisit writes a call for each field of a type.
func (l *layout) writeVisit(w io.Writer, name, args, call, typ string) {
	var lines strings.Builder
	for _, p := range l.pieces {
		for _, f := range slices.Concat(p.words...) {
			if f.typ == typ && !f.domain.forgotten {
				fmt.Fprintf(&lines, call+"\n", "v."+f.path)
			}
		}
		for _, f := range slices.Concat(p.each...) {
			if f.typ == typ {
				fmt.Fprintf(&lines, "for p := range v.%s {\n"+call+"\n}\n", f.path, "v."+f.path+"[p]")
			}
		}
	}
	if lines.Len() > 0 && !l.never {
		fmt.Fprintf(w, "\nfunc %s%s(%s, v *%s) {\n%s}\n", name, l.function(), args, l.name, lines.String())
	}
}
