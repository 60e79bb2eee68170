// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// The parts of a string to sign or a canonical request.
public struct SignedParts: Sendable {
  /// The signature version of the string, or `nil` if the service has only one version with this format.
  let version: String?
  /// The parts in the order of the string, without duplicates.
  private(set) var parts: [SignedPart] = []
  /// The values of each part; a repeated parameter has several values.
  private(set) var values: [SignedPart: [String]] = [:]

  /// Creates an empty collection of parts.
  ///
  /// - Parameter version: The signature version of the string, if the service has several versions.
  public init(version: String? = nil) { self.version = version }

  package subscript(_ part: SignedPart) -> String? { values[part]?.first }

  /// Adds a value of a part.
  ///
  /// - Parameters:
  ///   - part: The part to which the value belongs.
  ///   - value: The value, as it appears in the string.
  ///   - isLine: Whether the string always has a line for the part, so that an empty line is no value.
  public mutating func add(_ part: SignedPart, _ value: String, isLine: Bool = false) {
    if isLine, value.isEmpty { return }
    if values[part] == nil { parts.append(part) }
    values[part, default: []].append(value)
  }

  mutating func add(contentsOf other: SignedParts) {
    for part in other.parts { for value in other.values[part] ?? [] { add(part, value) } }
  }

  package func without(_ part: SignedPart) -> SignedParts {
    var copy = self
    copy.parts.removeAll { $0 == part }
    copy.values[part] = nil
    return copy
  }

  /// Adds the query parameters of a percent-encoded query.
  public mutating func add(query: String) {
    for item in query.split(at: "&") where !item.isEmpty {
      let (name, value) = item.splitOnce(at: "=")
      add(.parameter(name.percentDecoded() ?? name), value ?? "")
    }
  }

  /// Parses a string to sign of four lines: the algorithm, the time, the scope, and the hash of the canonical request.
  package init?(scopedStringToSign text: String, algorithm: String, version: String? = nil) {
    let lines = text.lines
    guard lines.count >= 4, lines[0].hasBytePrefix(algorithm) else { return nil }
    self.init(version: version)
    add(.algorithm, lines[0])
    add(.signingTime, lines[1])
    let scope = lines[2].split(at: "/")
    guard scope.count == 4 else { return nil }
    add(.scopeDay, scope[0])
    add(.scopeRegion, scope[1])
    add(.scopeService, scope[2])
    add(.requestHash, lines[3])
  }

  /// Parses a canonical request: the method, the path, the query, one line for each header, an empty line, a list of
  /// headers, which `list` represents, and the hash of the body.
  package init?(canonicalRequest text: String, list: SignedPart, version: String? = nil) {
    let lines = text.lines
    guard lines.count >= 6 else { return nil }
    self.init(version: version)
    add(.method, lines[0])
    add(.path, lines[1])
    add(query: lines[2])
    let headerLines = lines[3...].prefix { !$0.isEmpty }
    for line in headerLines {
      let (name, value) = line.splitOnce(at: ":")
      add(.header(name), value ?? "")
    }
    let linesAfterHeaders = lines[headerLines.endIndex...].dropFirst()
    add(list, linesAfterHeaders.first ?? "", isLine: true)
    add(.payloadHash, linesAfterHeaders.dropFirst().first ?? "", isLine: true)
  }
}

extension SignedParts: Redacted {
  /// The number of parts, without their values, which may be tokens.
  public var description: String { "SignedParts(\(parts.count) parts)" }
}

/// A part of the strings that a signature covers.
public enum SignedPart: Sendable, Hashable {
  /// The name of the signature scheme.
  case algorithm
  /// The method of the request.
  case method
  /// The path, including the bucket name if the service signs it as part of the path.
  case path
  /// A query parameter, with its decoded name.
  case parameter(String)
  /// A header, with its lowercase name.
  case header(String)
  /// The separate line for the date of a request or for the expiration of a URL.
  case date
  /// The time of signing, in a string to sign with a scope.
  case signingTime
  /// The day in the scope of the signature.
  case scopeDay
  /// The region in the scope of the signature.
  case scopeRegion
  /// The service, or product, in the scope of the signature.
  case scopeService
  /// The list of headers that are signed although the scheme does not require it.
  case additionalHeaders
  /// The list of all signed headers.
  case signedHeaders
  /// The hash of the body, or a word such as `UNSIGNED-PAYLOAD` in its place.
  case payloadHash
  /// The window in which the signature is valid.
  case window
  /// The hash of the canonical request, which differs whenever the canonical request differs.
  case requestHash

  /// The human-readable name of the part.
  public var name: String {
    switch self {
    case .algorithm: "algorithm"
    case .method: "method"
    case .path: "path"
    case .parameter(let name): "query parameter \(name)"
    case .header("content-type"): "Content-Type"
    case .header("content-md5"): "Content-MD5"
    case .header("host"): "Host"
    case .header(let name): "header \(name)"
    case .date: "Date"
    case .signingTime: "time of signing"
    case .scopeDay: "day of the scope"
    case .scopeRegion: "region of the scope"
    case .scopeService: "service of the scope"
    case .additionalHeaders: "additional headers"
    case .signedHeaders: "signed headers"
    case .payloadHash: "payload hash"
    case .window: "sign time"
    case .requestHash: "hash of the canonical request"
    }
  }

  /// Returns the rank among parts that differ; a difference with a higher rank is often a consequence.
  func rank(_ dateHeaders: Set<String>) -> Int {
    switch self {
    case .algorithm: 0
    case .method: 1
    case .path: 2
    case .header("host"): 3
    case .scopeRegion, .scopeService: 4
    case .scopeDay, .window: 5
    case .date: 6
    case .header(let name) where name != "date" && dateHeaders.contains(name): 6
    case .signingTime: 7
    case .parameter: 8
    case .header("content-type"): 9
    case .header("content-md5"): 10
    case .header: 11
    case .additionalHeaders, .signedHeaders: 12
    case .payloadHash: 13
    case .requestHash: 14
    }
  }
}

extension SignedPart {
  package var isToken: Bool { secretName.map { SecretName.isToken($0) } ?? false }

  /// Whether the part's value is secret and must not be shown.
  ///
  /// If a `?` in a key was decoded in transit, it changes which part counts as a parameter name.
  var isSecret: Bool { secretName.map { SecretName.isSecret($0) } ?? false }

  private var secretName: String? {
    switch self {
    case .header(let name), .parameter(let name): name
    default: nil
    }
  }
}
