// The other end of every program that `npm run tls-list` starts: a TLS server that no probe sees, because Java's TLS is no
// machine code with a name. So what calltap shows came from the program.
//
//   java FarEnd KEYSTORE        prints "port PORT", and "heard ID" for each program at its first request
//
// It answers each SIP request. Who only listens (a request with X-Listen, a GET) is sent something twice a second.
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

public class FarEnd {
  static final int MOST_REQUEST = 65536;
  static final char[] PASSWORD = "tls-list".toCharArray();

  public static void main(String[] args) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream file = new FileInputStream(args[0])) {
      store.load(file, PASSWORD);
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
    keys.init(store, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    var listener = context.getServerSocketFactory().createServerSocket(0, 100, InetAddress.getByName("127.0.0.1"));
    System.out.println("port " + listener.getLocalPort());
    while (true) {
      Socket socket = listener.accept();
      new Thread(() -> serve(socket)).start();
    }
  }

  static void serve(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      OutputStream out = socket.getOutputStream();
      StringBuilder text = new StringBuilder();
      byte[] piece = new byte[4096];
      for (int n; (n = in.read(piece)) > 0 && text.length() < MOST_REQUEST; ) {
        text.append(new String(piece, 0, n, StandardCharsets.ISO_8859_1));
        for (int end; (end = text.indexOf("\r\n\r\n")) >= 0; text.delete(0, end + 4))
          answer(text.substring(0, end).strip(), out);
      }
    } catch (Exception e) {
      // The program has ended, or did not like the certificate: the list will lack it.
    }
  }

  static void answer(String head, OutputStream out) throws Exception {
    String[] lines = head.split("\r\n");
    hear(head);
    if (lines[0].startsWith("GET ")) {
      send(out, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n");
      new Thread(() -> repeat(out, number -> "5\r\npart\n\r\n")).start();
    } else if (lines[0].endsWith(" SIP/2.0")) {
      List<String> answer = new ArrayList<>(List.of("SIP/2.0 200 OK"));
      for (String line : lines) if (line.matches("(Via|From|To|Call-ID|CSeq):.*")) answer.add(line);
      send(out, String.join("\r\n", answer) + "\r\nContent-Length: 0\r\n\r\n");
      if (head.contains("X-Listen:"))
        new Thread(() -> repeat(out, number -> numbered(lines, number))).start();
    }
  }

  static final Set<String> heard = ConcurrentHashMap.newKeySet();
  static final Pattern ID = Pattern.compile("^GET /([a-z0-9-]+)|^Call-ID: ([a-z0-9-]+)@", Pattern.MULTILINE);

  static void hear(String head) {
    Matcher found = ID.matcher(head);
    if (!found.find()) return;
    String id = found.group(1) != null ? found.group(1) : found.group(2);
    if (heard.add(id)) System.out.println("heard " + id);
  }

  /** The same request, in a transaction of its own. */
  static String numbered(String[] lines, int number) {
    String head = String.join("\r\n", lines) + "\r\n\r\n";
    return head.replaceAll("-0000\\b", "-0000" + number).replaceAll("CSeq: \\d+", "CSeq: " + number);
  }

  interface Text {
    String of(int number);
  }

  static void repeat(OutputStream out, Text text) {
    try {
      for (int number = 1; ; number++) {
        Thread.sleep(500);
        send(out, text.of(number));
      }
    } catch (Exception e) {
      // The program has ended.
    }
  }

  static synchronized void send(OutputStream out, String text) throws Exception {
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }
}
