// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import StorageAuth

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension TransportError {
  package static func cancelled(host: String) -> TransportError {
    TransportError(.cancelled, "The request to \(host) was cancelled.", remedy: "No action is required.")
  }

  static func timeout(host: String) -> TransportError {
    TransportError(.timeout, "\(host) did not respond in time.", remedy: "Try again, or allow more time.")
  }

  package static func lost(host: String, reason: String) -> TransportError {
    TransportError(.connectionLost, "The connection to \(host) was lost (\(reason)).", remedy: "Try again.")
  }

  /// The error for a response whose body `URLSession` has decoded, so that its bytes are not the stored ones.
  static func decoded(host: String) -> TransportError {
    TransportError(
      .invalidRequest, "The response of \(host) has a Content-Encoding, and URLSession decodes the body.",
      remedy: "Request the object with response-content-encoding=identity, or use AsyncHTTPClientTransport.")
  }

  /// The error for a redirect without a location, whose body Foundation does not pass on.
  static func withheld(host: String) -> TransportError {
    TransportError(
      .invalidRequest, "The response of \(host) is a redirect without a location, whose body Foundation withholds.",
      remedy: "Check the endpoint and the region, or use AsyncHTTPClientTransport.")
  }

  /// Creates a transport error from an error of a session, without the session's messages, which contain the URL.
  package init(_ error: any Error, host: String) {
    let code = (error as? URLError)?.code ?? .unknown
    switch code {
    case .timedOut: self = .timeout(host: host)
    case .unsupportedURL:
      // The scheme is http or https. Foundation on Linux reports a status line that is not valid with this code.
      self = .lost(host: host, reason: "the response is not valid in HTTP")
    case .badURL, .dataLengthExceedsMaximum:
      self = .unsendable("URLSession rejects the request (URLError \(code.rawValue)).", to: host)
    case .cannotFindHost, .dnsLookupFailed: self.init(host: host, failure: "the host was not found")
    case .cannotConnectToHost: self.init(host: host, failure: "the connection was refused")
    case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
      self.init(host: host, failure: "there is no network")
    case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
      self.init(host: host, failure: "TLS was not established (URLError \(code.rawValue))")
    default: self = .lost(host: host, reason: "URLError \(code.rawValue)")
    }
  }

  private init(host: String, failure: String) {
    self.init(
      .connectionFailed, "No connection to \(host) (\(failure)).", remedy: "Check the endpoint and the network.")
  }
}
