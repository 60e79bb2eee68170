// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import NIOCore
internal import NIOSSL

/// The certificate and the private key of an HTTPS server, which can be replaced while the server runs.
///
/// A replacement is complete or has no effect. New connections use the new certificate, and open connections continue.
///
/// ```swift
/// let certificate = try ServerCertificate(chain: chain, key: Secret(key))
/// // Later, after the files have changed:
/// try certificate.replace(chain: newChain, key: Secret(newKey))
/// ```
public final class ServerCertificate: Sendable, CustomReflectable {
  private struct Contexts {
    let http1: NIOSSLContext
    let http2: NIOSSLContext
    let validity: ClosedRange<Timestamp>
  }

  private let contexts: Lock<Contexts>

  /// Creates a certificate from text in PEM format.
  ///
  /// - Parameters:
  ///   - chain: The certificate of the server, and the certificates that issued it, each after the one that it issued.
  ///   - key: The private key of the first certificate, without a passphrase.
  /// - Throws: A ``CertificateError`` if a text cannot be used, or if the key does not belong to the certificate.
  public init(chain: String, key: Secret) throws(CertificateError) {
    contexts = Lock(try Self.contexts(chain, key))
  }

  /// Replaces the certificate and the private key for new connections.
  ///
  /// The parameters are those of the initializer.
  ///
  /// - Throws: A ``CertificateError`` if a text cannot be used, or if the key does not belong to the certificate. The
  ///   previous certificate then remains in use.
  public func replace(chain: String, key: Secret) throws(CertificateError) {
    let replacement = try Self.contexts(chain, key)
    contexts.withLock { $0 = replacement }
  }

  /// The time in which all certificates of the chain are valid.
  ///
  /// If there is no such time, both bounds are the time at which the first of the certificates expires.
  public var validity: ClosedRange<Timestamp> { contexts.withLock(\.validity) }

  /// Returns the TLS handler of one connection with HTTP/1.1.
  package func makeHandler() -> some ChannelHandler { NIOSSLServerHandler(context: context(allowsHTTP2: false)) }
  func context(allowsHTTP2: Bool) -> NIOSSLContext { contexts.withLock { allowsHTTP2 ? $0.http2 : $0.http1 } }

  private static func contexts(_ chain: String, _ key: Secret) throws(CertificateError) -> Contexts {
    guard let certificates = try? NIOSSLCertificate.fromPEMBytes(Array(chain.utf8)), !certificates.isEmpty else {
      throw CertificateError(.chain)
    }
    guard let privateKey = try? NIOSSLPrivateKey(bytes: Array(key.reveal().utf8), format: .pem) else {
      throw CertificateError(.key)
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.minimumTLSVersion = .tlsv12
    do {
      configuration.applicationProtocols = ["http/1.1"]
      let http1 = try NIOSSLContext(configuration: configuration)
      configuration.applicationProtocols = ["h2", "http/1.1"]
      return Contexts(
        http1: http1, http2: try NIOSSLContext(configuration: configuration), validity: validity(of: certificates))
    } catch {
      throw CertificateError(.pair)
    }
  }

  private static func validity(of certificates: [NIOSSLCertificate]) -> ClosedRange<Timestamp> {
    let starts = certificates.map { Timestamp(unixSeconds: Int64($0.notValidBefore)) }
    let expirations = certificates.map { Timestamp(unixSeconds: Int64($0.notValidAfter)) }
    let firstExpiration = expirations.min() ?? .now
    return min(starts.max() ?? firstExpiration, firstExpiration)...firstExpiration
  }

  /// A mirror without children, because the certificate's private key is secret.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The reason why a certificate and a private key cannot be used by a server.
public struct CertificateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A text from which a server's certificate is created.
  public enum Subject: Sendable, Hashable {
    /// The certificate with those that issued it.
    case chain
    /// The private key.
    case key
    /// The certificate and the private key together.
    case pair
  }

  /// The text that cannot be used.
  public let subject: Subject
  init(_ subject: Subject) { self.subject = subject }

  /// A sentence that describes what the text must be.
  public var description: String {
    switch subject {
    case .chain: "The certificate must be in PEM format: a block that begins with -----BEGIN CERTIFICATE-----."
    case .key:
      "The private key must be in PEM format without a passphrase: "
        + "a block that begins with -----BEGIN PRIVATE KEY-----."
    case .pair:
      "The private key must belong to the certificate. In a chain, the certificate of the server must be the first."
    }
  }
}
