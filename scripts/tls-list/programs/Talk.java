// Talks SIP over TLS by JSSE, or by Conscrypt where its jar is given: java Talk [conscrypt].
import java.security.Provider;
import java.security.Security;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

public class Talk {
  public static void main(String[] args) throws Exception {
    if (args.length > 0)
      Security.insertProviderAt((Provider) Class.forName("org.conscrypt.OpenSSLProvider").getConstructor().newInstance(), 1);
    X509TrustManager any = new X509TrustManager() {
      public void checkClientTrusted(X509Certificate[] chain, String type) {}
      public void checkServerTrusted(X509Certificate[] chain, String type) {}
      public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
      }
    };
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {any}, null);
    int port = Integer.parseInt(System.getenv("TLS_PORT"));
    try (var socket = context.getSocketFactory().createSocket("127.0.0.1", port)) {
      for (int number = 1; ; number++) {
        String text = System.getenv("TLS_MESSAGE").replace("NUMBER", "" + number);
        socket.getOutputStream().write(text.getBytes("ISO-8859-1"));
        socket.getOutputStream().flush();
        if (socket.getInputStream().read(new byte[4096]) < 0) return;
        Thread.sleep(500);
      }
    }
  }
}
