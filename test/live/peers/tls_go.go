// SIP over crypto/tls, for Go's goroutines: they go from thread to thread, and their stacks are small and move.
//
//	tls_go server                          prints its port, answers each request, says "talks" after the first of each
//	                                       connection, and "ended" when it has ended and nothing of it is under way;
//	                                       ends with its input
//	tls_go client PORT CONNS MESSAGES HOW  HOW: plain; wrapped: a connection that another type wraps; paced: 1,000 a
//	                                       second in all, each when it is due, and how late the answers came; churn: a
//	                                       connection for each message, some dropped without (*Conn).Close; reused:
//	                                       the memory of a message is another's before its write returns
//
// Each message is 100 bytes to 60 kB long and names the client's port (X-Port). The client compares every answer with
// what it must be, and prints "done N". Paced messages have 600 bytes.
package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

const least, most = 100, 60000

// Not a *net.TCPConn for crypto/tls, and what it writes goes out on it all the same.
type wrapped struct{ net.Conn }

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Is written to when a message has been encrypted, as the garbage collector may do.
type reused struct {
	net.Conn
	buffer []byte
}

func (c *reused) Write(record []byte) (int, error) {
	for i := range c.buffer {
		c.buffer[i] = 'x'
	}
	return c.Conn.Write(record)
}

// Reads into its goroutine's stack, which may move during the call.
type onStack struct{ *tls.Conn }

func (c onStack) Read(into []byte) (int, error) {
	var own [8192]byte
	n, err := c.Conn.Read(own[:min(len(into), len(own))])
	return copy(into, own[:n]), err
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	check(err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func portOf(a net.Addr) int { return a.(*net.TCPAddr).Port }

// `size` bytes when that is enough for the head.
func message(first string, port, sequence, size int) string {
	head := fmt.Sprintf("%s\r\nX-Port: %d;\r\nCall-ID: %d-%d\r\n", first, port, port, sequence)
	body := size - len(head) - len("Content-Length: 00000\r\n\r\n")
	if body < 0 {
		body = 0
	}
	return head + fmt.Sprintf("Content-Length: %05d\r\n\r\n", body) + strings.Repeat(".", body)
}

func readMessage(r *bufio.Reader) (string, error) {
	var text strings.Builder
	length := 0
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return "", err
		}
		text.WriteString(line)
		if strings.HasPrefix(line, "Content-Length: ") {
			length, _ = strconv.Atoi(strings.TrimSpace(line[len("Content-Length: "):]))
		}
		if line == "\r\n" {
			break
		}
	}
	body := make([]byte, length)
	_, err := io.ReadFull(r, body)
	text.Write(body)
	return text.String(), err
}

// On a goroutine of its own, whose stack is still the smallest: it grows within the call and is moved.
func write(c net.Conn, text string, n int) error {
	said := make(chan error)
	go func() {
		if n%3 == 0 {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		}
		runtime.Gosched()
		_, err := io.WriteString(c, text)
		said <- err
	}()
	return <-said
}

func answer(c net.Conn) {
	r := bufio.NewReaderSize(c, 8192)
	for n := 0; ; n++ {
		text, err := readMessage(r)
		if err != nil {
			break
		}
		_, rest, _ := strings.Cut(text, "\r\n")
		check(write(c, "SIP/2.0 200 OK\r\n"+rest, n))
		if n == 0 {
			fmt.Println("talks")
		}
	}
	c.Close()
	fmt.Println("ended")
}

func serve() {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	l := tls.NewListener(inner, &tls.Config{Certificates: []tls.Certificate{certificate()}})
	go func() {
		for {
			c, err := l.Accept()
			check(err)
			go answer(c)
		}
	}()
	fmt.Println("port", portOf(l.Addr()))
	io.Copy(io.Discard, os.Stdin)
}

// One connection.
func talk(port int, number, messages int, how string) {
	raw, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	check(err)
	own := portOf(raw.LocalAddr())
	if how == "wrapped" {
		raw = wrapped{raw}
	}
	again := &reused{Conn: raw}
	if how == "reused" {
		raw = again
	}
	c := onStack{tls.Client(raw, &tls.Config{InsecureSkipVerify: true})}
	r := bufio.NewReaderSize(c, 8192)
	random := uint32(number*7919 + 1)
	for i := 0; i < messages; i++ {
		random = random*1664525 + 1013904223
		size := least + int(random>>8)%(most-least)
		if i%2 == 0 {
			size = least + size%1900
		}
		if how == "reused" {
			size = least + size%900 // one record
		}
		text := message("MESSAGE sip:b@example.org SIP/2.0", own, i, size)
		if how == "reused" {
			check(c.Handshake())
			again.buffer = []byte(text)
			_, err := c.Write(again.buffer)
			check(err)
		} else {
			check(write(c, text, i))
		}
		got, err := readMessage(r)
		check(err)
		_, rest, _ := strings.Cut(text, "\r\n")
		if got != "SIP/2.0 200 OK\r\n"+rest {
			check(fmt.Errorf("another answer on port %d", own))
		}
		runtime.Gosched()
	}
	if how == "churn" && number%2 == 0 {
		check(raw.Close())
	} else {
		check(c.Close())
	}
}

// Connections one after the other: the garbage collector gives a new one the memory of an old one.
func churn(port, number, messages int) {
	for i := 0; i < messages; i++ {
		talk(port, number*messages+i, 1, "churn")
		if i%8 == 0 {
			runtime.GC()
		}
	}
}

const eachSecond = 1000

// In microseconds, from when a request was due to its answer; half and 99 of a hundred came within the numbers printed.
func pace(port, connections, messages int) {
	begin := time.Now().Add(time.Second)
	late := make([]float64, connections*messages)
	var all sync.WaitGroup
	for i := 0; i < connections; i++ {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			c, err := tls.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port), &tls.Config{InsecureSkipVerify: true})
			check(err)
			check(c.Handshake())
			r := bufio.NewReaderSize(c, 8192)
			for n := i; n < len(late); n += connections {
				due := begin.Add(time.Duration(n) * time.Second / eachSecond)
				time.Sleep(time.Until(due))
				_, err := io.WriteString(c, message("MESSAGE sip:b@example.org SIP/2.0", portOf(c.LocalAddr()), n, 600))
				check(err)
				_, err = readMessage(r)
				check(err)
				late[n] = float64(time.Since(due)) / 1000
			}
			check(c.Close())
		}(i)
	}
	all.Wait()
	sort.Float64s(late)
	fmt.Printf("late %.0f %.0f\n", late[len(late)/2], late[len(late)*99/100])
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "server" {
		serve()
		return
	}
	numbers := [3]int{}
	for i := range numbers {
		n, err := strconv.Atoi(os.Args[2+i])
		check(err)
		numbers[i] = n
	}
	if os.Args[5] == "paced" {
		pace(numbers[0], numbers[1], numbers[2])
		return
	}
	var all sync.WaitGroup
	for i := 0; i < numbers[1]; i++ {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			if os.Args[5] == "churn" {
				churn(numbers[0], i, numbers[2])
			} else {
				talk(numbers[0], i, numbers[2], os.Args[5])
			}
		}(i)
	}
	all.Wait()
	fmt.Println("done", numbers[1]*numbers[2])
}
