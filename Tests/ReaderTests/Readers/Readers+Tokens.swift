// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageCrypto

/// Readers of links, tokens and fingerprints.
extension Reader {
  static let tokens = [links, asperaTokens, bearerTokens, packedClaims, assertions, fingerprints]

  private static let links = Reader(name: "faspe-links") { input, _ in
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

  private static let bearerTokens = Reader(name: "bearer-tokens") { input, _ in
    try decode(String(decoding: input, as: UTF8.self))
  }

  /// Bearer tokens with a valid compression and damaged contents.
  private static let packedClaims = Reader(name: "packed-claims") { input, _ in
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

  private static let assertions = Reader(name: "assertions") { input, _ in
    let text = String(decoding: input, as: UTF8.self)
    guard let token = JSONWebToken(text) else { return false }
    try require(token.secret.reveal() == text, "an assertion is changed")
    let again = JSONWebToken(token.secret.reveal())
    try require(again?.claims == token.claims, "an assertion that is parsed again differs")
    try require(text.count < 24 || !"\(token)".contains(text), "the description of an assertion contains it")
    _ = token.algorithm
    return true
  }

  private static let fingerprints = Reader(name: "fingerprints") { input, _ in
    guard let fingerprint = try? HostKeyFingerprint(String(decoding: input, as: UTF8.self)) else { return false }
    let text = fingerprint.description
    try require(text.utf8.count == 40 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }, "not 40 digits")
    try require(try HostKeyFingerprint(text) == fingerprint, "a fingerprint that is parsed again differs")
    return true
  }
}
