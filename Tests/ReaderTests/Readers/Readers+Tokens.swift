// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageCrypto

@testable import AsperaAuth

/// Readers of links, tokens and fingerprints.
extension Reader {
  static let tokens = [links, asperaTokens, bearerTokens, packedClaims, assertions, fingerprints]

  private static let linkGrowths = Growths.bytes([
    "many parameters": { "fasp://u@h/a?" + numbered(to: $0, separator: "&") { "p\($0)=v" } },
    "one parameter again and again": { "fasp://u@h/a?" + repeated("port=1&", to: $0) },
    "a long path": { "fasp://u@h/" + repeated("%41/", to: $0) }, "at signs": { "fasp://" + repeated("@", to: $0) },
    "colons": { "fasp://" + repeated(":", to: $0) },
  ]) { bytes in _ = try? FaspURI(String(decoding: bytes, as: UTF8.self)) }

  private static let links = Reader(name: "faspe-links", growths: linkGrowths) { input, _ in
    guard let link = try? FaspURI(String(decoding: input, as: UTF8.self)) else { return false }
    try link.specification.validate()
    try require(link.specification.remotePassword == nil, "a link contains a password")
    try require(link.specification.remoteHost?.isEmpty == false, "a link has no host")
    _ = "\(link)"
    return true
  }

  private static let asperaTokens = Reader(name: "aspera-tokens") { input, _ in
    let text = String(decoding: input, as: UTF8.self)
    guard let token = try? AsperaToken(Secret(text)) else { return false }
    try require(!text.unicodeScalars.contains { $0 == "\n" || $0 == "\r" || $0 == "\0" }, "a token is not one line")
    try require(token.secret.reveal() == text, "a token is changed")
    try require(text.count < 24 || !"\(token)".contains(text), "a token's description contains the token")
    return true
  }

  private static let bearerGrowths = Growths.bytes([
    "Base64": { repeated("eJxz", to: $0) }, "other Base64": { repeated("-_", to: $0) },
    "line ends": { repeated("A\n", to: $0) }, "a web token": { repeated("eyJ", to: $0) + ".e30.e30" },
    "dots": { repeated(".", to: $0) },
  ]) { bytes in
    _ = try? NodeBearerToken(Secret(bytes: bytes))
    _ = try? AsperaToken(Secret(bytes: bytes))
    _ = JSONWebToken(String(decoding: bytes, as: UTF8.self))
  }

  private static let bearerTokens = Reader(name: "bearer-tokens", growths: bearerGrowths) { input, _ in
    try decode(String(decoding: input, as: UTF8.self))
  }

  private static let claimGrowths: Growths = {
    let signature = "\n==SIGNATURE==\nAAAA\n"
    return .inputs([
      "many groups": { #"{"group_ids":[\#(repeated(#""g","#, to: $0))"g"]}"# + signature },
      "many claims": { "{\(numbered(to: $0, separator: ",") { "\"c\($0)\":1" })}" + signature },
      "almost delimiters": { repeated("==SIGNATURE=", to: $0) + signature },
      "delimiters": { repeated("==SIGNATURE==", to: $0) + signature },
      "a long signature": { "{}" + signature + repeated("AAAA\n", to: $0) },
    ])
  }()

  /// Bearer tokens with a valid compression and damaged contents.
  private static let packedClaims = Reader(name: "packed-claims", growths: claimGrowths) { input, _ in
    guard let packed = Zlib.compress(input) else { return false }
    try require(try Zlib.decompress(packed, limit: input.count) == input, "compressed data differs after decompression")
    return try decode(String(writing: { $0.append(base64: packed) }))
  }

  private static func decode(_ text: String) throws -> Bool {
    guard let token = try? NodeBearerToken(Secret(text)) else { return false }
    try require(try NodeBearerToken(token.secret) == token, "a bearer token that is parsed again differs")
    _ = (token.claims.expiration, token.claims.scope, token.claims.groupIDs, "\(token)")
    return true
  }

  private static let assertions = Reader(
    name: "assertions", growths: .none(because: "bearer-tokens measures web tokens")
  ) { input, _ in
    let text = String(decoding: input, as: UTF8.self)
    guard let token = JSONWebToken(text) else { return false }
    try require(token.secret.reveal() == text, "an assertion is changed")
    let again = JSONWebToken(token.secret.reveal())
    try require(again?.claims == token.claims, "an assertion that is parsed again differs")
    try require(text.count < 24 || !"\(token)".contains(text), "the description of an assertion contains it")
    _ = token.algorithm
    return true
  }

  private static let fingerprints = Reader(
    name: "fingerprints",
    growths: .inputs([
      "digits": { repeated("a", to: $0) }, "pairs": { repeated("ab:", to: $0) }, "colons": { repeated(":", to: $0) },
    ])
  ) { input, _ in
    guard let fingerprint = try? HostKeyFingerprint(String(decoding: input, as: UTF8.self)) else { return false }
    let text = fingerprint.description
    try require(text.utf8.count == 40 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }, "not 40 digits")
    try require(try HostKeyFingerprint(text) == fingerprint, "a fingerprint that is parsed again differs")
    return true
  }
}
