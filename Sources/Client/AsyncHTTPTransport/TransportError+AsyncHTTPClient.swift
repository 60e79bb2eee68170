// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import StorageAuth
internal import SystemPackage

extension TransportError {
  /// Creates a transport error from an error of AsyncHTTPClient, or of NIO below it.
  init(_ error: any Error, host: String, proxy: ProxyServer? = nil) {
    // A client of the app can have a proxy that the transport does not know.
    let proxyName = proxy.map { "The proxy \($0)" } ?? "The proxy"
    switch error {
    case let error as TransportError: self = error
    case is CancellationError, HTTPClientError.cancelled as HTTPClientError:
      self.init(.cancelled, "The request to \(host) was cancelled.", remedy: "No action is required.")
    case HTTPClientError.proxyAuthenticationRequired as HTTPClientError:
      self.init(
        .invalidConfiguration, "\(proxyName) requires another login for \(host) (407).",
        remedy: "Put user:password@ before the host in the URL of the proxy, percent-encoded.")
    case HTTPClientError.invalidProxyResponse as HTTPClientError:
      self.init(
        .connectionFailed, "\(proxyName) refused a tunnel to \(host).",
        remedy: "Ask for access to this host and port, or exclude the host from the proxy (NO_PROXY).")
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
      self.init(
        .connectionFailed, "No secure connection to \(host) (\(Self.tlsReason(of: error))).",
        remedy: "Check the certificate of the service, and name its authority if it is a private one.")
    default:
      let route = proxy.map { "\(host) through the proxy \($0)" } ?? host
      self.init(Self.code(of: error), host: route, reason: Self.reason(of: error))
    }
  }

  private static func tlsReason(of error: any Error) -> String {
    if error is NIOSSLExtraError { return "the certificate is for another host" }
    return "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
      ? "the certificate is not from a trusted authority, or is not valid now" : "the TLS handshake failed"
  }

  private init(_ code: Code, host: String, reason: String) {
    switch code {
    case .timeout:
      self.init(code, "\(host) did not respond in time (\(reason)).", remedy: "Try again, or allow more time.")
    case .connectionFailed:
      self.init(code, "No connection to \(host) (\(reason)).", remedy: "Check the endpoint and the network.")
    case .invalidRequest:
      self.init(code, "The request to \(host) cannot be sent (\(reason)).", remedy: "Check the endpoint.")
    default: self.init(code, "The connection to \(host) was lost (\(reason)).", remedy: "Try again.")
    }
  }

  private static func code(of error: any Error) -> Code {
    switch error {
    case is NIOConnectionError: return .connectionFailed
    case ChannelError.connectTimeout: return .timeout
    case let error as IOError:
      let connectionErrors: [Errno] = [.connectionRefused, .hostIsDown, .networkUnreachable, .noRouteToHost]
      return connectionErrors.contains(Errno(rawValue: error.errnoCode)) ? .connectionFailed : .connectionLost
    case let error as HTTPClientError:
      let timeoutErrors: [HTTPClientError] = [
        .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout,
        .tlsHandshakeTimeout,
      ]
      let requestErrors: [HTTPClientError] = [
        .invalidURL, .emptyHost, .emptyScheme, .bodyLengthMismatch, .traceRequestWithBody, .contentLengthMissing,
      ]
      if timeoutErrors.contains(error) { return .timeout }
      return requestErrors.contains(error) ? .invalidRequest : .connectionLost
    default: return .connectionLost
    }
  }

  /// Returns a short name for the cause of an error, without an HTTP client's message, which can contain a header.
  private static func reason(of error: any Error) -> String {
    switch error {
    case let error as HTTPClientError: error.shortDescription
    case let error as IOError: Errno(rawValue: error.errnoCode).description
    case let error as ChannelError: "\(error)"
    case let error as NIOConnectionError:
      error.connectionErrors.first.map { reason(of: $0.error) } ?? "name not resolved"
    default: "\(type(of: error))"
    }
  }
}
