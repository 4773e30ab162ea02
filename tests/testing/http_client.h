// A client over plain sockets, for tests of the server: sends bytes as given, reads one answer.
#ifndef OCTAVO_TESTS_TESTING_HTTP_CLIENT_H_
#define OCTAVO_TESTS_TESTING_HTTP_CLIENT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace octavo::testing {

struct HttpAnswer {
  int status = 0;  // 0: the connection ended or nothing came in time
  std::string head;
  std::string body;       // of chunked answers: joined
  bool is_whole = false;  // its end has arrived
  bool Has(std::string_view text) const { return head.find(text) != std::string::npos; }
};

// One connection to a port of this machine. Reads give up after 30 s.
class HttpClient {
 public:
  explicit HttpClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    const timeval patience{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  }
  ~HttpClient() { Close(); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  bool is_connected() const { return is_connected_; }
  void Close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  // False once the other side takes no more.
  bool Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }
  bool Send(std::string_view method, std::string_view path, std::string_view body = {},
            std::string_view headers = {}) const {
    return Send(std::string(method) + " " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n" +
                "Content-Length: " + std::to_string(body.size()) + "\r\n" + std::string(headers) +
                "\r\n" + std::string(body));
  }
  // The next answer; what is left of a stream stays for ReadMore.
  HttpAnswer Read() {
    HttpAnswer answer;
    if (!FillUntil("\r\n\r\n")) return answer;
    const size_t end = buffer_.find("\r\n\r\n") + 4;
    answer.head = buffer_.substr(0, end);
    buffer_.erase(0, end);
    answer.status = std::atoi(answer.head.c_str() + 9);
    if (answer.status == 100) return answer;
    if (answer.Has("Transfer-Encoding: chunked")) {
      while (ReadChunk(&answer)) {
      }
    } else if (const size_t length = answer.head.find("Content-Length: ");
               length != std::string::npos) {
      const size_t count = std::strtoull(answer.head.c_str() + length + 16, nullptr, 10);
      answer.is_whole = FillTo(count);
      answer.body = buffer_.substr(0, count);
      buffer_.erase(0, count);
    } else {
      while (Fill()) {
      }
      answer.body.swap(buffer_);
      answer.is_whole = true;
    }
    return answer;
  }
  HttpAnswer Ask(std::string_view method, std::string_view path, std::string_view body = {},
                 std::string_view headers = {}) {
    Send(method, path, body, headers);
    return Read();
  }
  // Blocks until `text` has arrived, and keeps it for Read.
  bool FillUntil(std::string_view text) {
    while (buffer_.find(text) == std::string::npos) {
      if (!Fill()) return false;
    }
    return true;
  }
  // Whether the other side has closed, once all it sent is read.
  bool IsClosed() {
    while (Fill()) {
    }
    return is_closed_;
  }

 private:
  bool Fill() {
    char bytes[4096];
    const auto count = ::recv(socket_, bytes, sizeof(bytes), 0);
    if (count > 0) buffer_.append(bytes, static_cast<size_t>(count));
    if (count == 0) is_closed_ = true;
    return count > 0;
  }
  bool FillTo(size_t count) {
    while (buffer_.size() < count) {
      if (!Fill()) return false;
    }
    return true;
  }
  // False at the last chunk, or when the connection ends early.
  bool ReadChunk(HttpAnswer* answer) {
    if (!FillUntil("\r\n")) return false;
    const size_t line = buffer_.find("\r\n") + 2;
    const size_t count = std::strtoull(buffer_.c_str(), nullptr, 16);
    if (!FillTo(line + count + 2)) return false;
    answer->body += buffer_.substr(line, count);
    buffer_.erase(0, line + count + 2);
    if (count == 0) answer->is_whole = true;
    return count > 0;
  }

  int socket_;
  bool is_connected_ = false;
  bool is_closed_ = false;
  std::string buffer_;
};

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_HTTP_CLIENT_H_
