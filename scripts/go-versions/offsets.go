// Prints where fields lie in a Go program, by its DWARF: "Type.field offset" a line. Only of types that are asked for:
//
//	offsets PROGRAM TYPE.FIELD...
package main

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"os"
	"strings"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	program, err := elf.Open(os.Args[1])
	check(err)
	data, err := program.DWARF()
	check(err)
	wanted := map[string]bool{}
	for _, name := range os.Args[2:] {
		wanted[name] = true
	}
	reader := data.Reader()
	for {
		entry, err := reader.Next()
		check(err)
		if entry == nil {
			return
		}
		if entry.Tag != dwarf.TagStructType {
			continue
		}
		structure, _ := entry.Val(dwarf.AttrName).(string)
		for entry.Children {
			field, err := reader.Next()
			check(err)
			if field == nil || field.Tag == 0 {
				break
			}
			name, _ := field.Val(dwarf.AttrName).(string)
			if full := structure + "." + name; wanted[full] {
				offset, _ := field.Val(dwarf.AttrDataMemberLoc).(int64)
				fmt.Println(strings.TrimSpace(full), offset)
			}
		}
	}
}
