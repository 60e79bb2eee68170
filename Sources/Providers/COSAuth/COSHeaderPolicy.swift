// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The selection of headers that a COS signature covers.
///
/// By default, COS checks only the headers that a signature lists. In its strict mode, it also requires a signature to
/// list every relevant header, as the standard policy does. "Request Signature" leaves the choice to the client, so the
/// source is the default lists of the vendor's SDKs.
public struct COSHeaderPolicy: Sendable, Hashable {
  private enum Selection: Hashable {
    case standard
    case only(Set<String>)
  }

  private let selection: Selection

  /// Whether the signature covers the host, without which it is also valid for other buckets of the same account.
  public let signsHost: Bool

  /// A policy that signs the headers that the vendor's current SDKs sign, including the host.
  ///
  /// The headers are `cache-control`, `content-disposition`, `content-encoding`, `content-length`, `content-md5`,
  /// `content-type`, `expect`, `expires`, the `if-` headers, `origin`, `range`, `transfer-encoding`, `pic-operations`,
  /// and all headers that start with `x-cos-` or `x-ci-`.
  public static let standard = COSHeaderPolicy(selection: .standard, signsHost: true)

  /// A policy that signs the standard headers except the host, for a host that reaches COS through a CDN.
  public static let standardWithoutHost = COSHeaderPolicy(selection: .standard, signsHost: false)

  /// Returns a policy that signs only the given headers, such as `host`, if a request contains them.
  ///
  /// - Parameter names: The header names, in any letter case.
  public static func only(_ names: Set<String>) -> COSHeaderPolicy {
    let names = Set(names.map { $0.asciiLowercased })
    return COSHeaderPolicy(selection: .only(names), signsHost: names.contains("host"))
  }

  /// Whether the policy signs all headers that COS requires in its strict mode.
  var isComplete: Bool { selection == .standard && signsHost }

  func signs(_ name: String) -> Bool { withBytes(of: name) { signs($0) } }

  func signs(_ name: Span<UInt8>) -> Bool {
    switch selection {
    case .standard: Self.isStandard(name)
    case .only(let names): names.contains(String(writing: { $0.append(name) }))
    }
  }

  static func isStandard(_ name: Span<UInt8>) -> Bool { hasEffectPrefix(name) || standardNames.contains(name) }

  static func hasEffectPrefix(_ name: Span<UInt8>) -> Bool { name.starts(with: "x-cos-") || name.starts(with: "x-ci-") }

  private static let standardNames = NameTable(
    """
    cache-control content-disposition content-encoding content-length content-md5 content-type expect expires if-match
    if-modified-since if-none-match if-unmodified-since origin range transfer-encoding pic-operations
    """.split { $0 == " " || $0 == "\n" }.map(String.init))
}
