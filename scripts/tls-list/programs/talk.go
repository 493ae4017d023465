// Talks SIP over TLS by crypto/tls.
package main

import (
	"crypto/tls"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	conn, err := tls.Dial("tcp", "127.0.0.1:"+os.Getenv("TLS_PORT"), &tls.Config{InsecureSkipVerify: true})
	buffer := make([]byte, 4096)
	for number := 1; err == nil; number++ {
		_, err = conn.Write([]byte(strings.ReplaceAll(os.Getenv("TLS_MESSAGE"), "NUMBER", strconv.Itoa(number))))
		if err == nil {
			_, err = conn.Read(buffer)
		}
		time.Sleep(500 * time.Millisecond)
	}
	panic(err)
}
