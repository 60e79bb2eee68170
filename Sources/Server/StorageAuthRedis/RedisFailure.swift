// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuthServer

/// The reason why a Redis server has not run a command, or has not confirmed it.
enum RedisFailure: Error, Sendable, Hashable {
  /// The server cannot be reached, for the given reason.
  case unreachable(String)
  /// No reply arrived in time.
  case timeout
  /// The connection ended before the reply arrived.
  case closed
  /// Too many commands wait for their replies.
  case busy
  /// The server replied with an error, of which this is the code, such as `NOAUTH`.
  case refused(String)
  /// The server replied with the code of a server that does not serve now, such as a former primary after a failover.
  case notServing(String)
  /// The reply is not what the command returns.
  case malformed
  /// The server removes keys when its memory is full, so that marks would be lost.
  case evictsKeys
  /// The certificate authorities for TLS cannot be used, for the given reason.
  case authorities(String)

  /// The codes of servers whose place another server may have taken (`src/server.c` and `src/cluster.c` of Redis 7).
  ///
  /// These are a replica (`READONLY`), one without its primary (`MASTERDOWN`), a primary without enough replicas
  /// (`NOREPLICAS`), a server that reads its data (`LOADING`), a change of roles while a command waits (`UNBLOCKED`),
  /// and an incomplete cluster. `MOVED` and `ASK` are not among them, because Redis Cluster is not supported.
  private static let outageCodes = [
    "READONLY", "LOADING", "MASTERDOWN", "NOREPLICAS", "UNBLOCKED", "CLUSTERDOWN", "TRYAGAIN",
  ]

  /// The number of words of a script's error that are searched for the code of its command.
  private static let searchedWordCount = 32
  private static let codeByteLimit = 32

  /// Creates a failure with the code of an error reply, whose other words may contain a part of the command.
  init(reply: String) {
    let words = reply.utf8.split(separator: UInt8(ascii: " "))
    let code = words.first.map(Self.code(atStartOf:)) ?? ""
    var possibleCodes = [code]
    // Before Redis 7, a script whose command failed replies `ERR Error running script (…): … -READONLY …`.
    if reply.hasBytePrefix("ERR Error running ") {
      let commandCodes = words.prefix(Self.searchedWordCount).filter { $0.first == UInt8(ascii: "-") }
      possibleCodes += commandCodes.map { Self.code(atStartOf: $0.dropFirst()) }
    }
    let outageCode = possibleCodes.first { code in Self.outageCodes.contains { $0.isIdentical(to: code) } }
    self = outageCode.map { .notServing($0) } ?? .refused(code)
  }

  /// Returns the code at the start of a word, which consists of capital letters and underscores.
  private static func code(atStartOf word: some Sequence<UInt8>) -> String {
    let letters = word.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || $0 == UInt8(ascii: "_") }
    return String(decoding: Array(letters).prefix(codeByteLimit), as: UTF8.self)
  }

  /// Whether the server or its configuration is wrong, so that no fallback may hide it: a fallback is for a server that
  /// is away.
  var isMisconfiguration: Bool {
    switch self {
    case .evictsKeys, .authorities: true
    default: false
    }
  }

  private var reason: String {
    switch self {
    case .unreachable(let reason): "cannot be reached: \(reason)"
    case .timeout: "did not answer in time"
    case .closed: "closed the connection"
    case .busy: "has too many commands to answer"
    case .refused(let code): "answered with the error \(code.isEmpty ? "ERR" : code)"
    case .notServing(let code): "does not serve now, and answered with the error \(code)"
    case .malformed: "sent a reply that is not in the protocol"
    case .evictsKeys: "removes keys when its memory is full"
    case .authorities(let reason): "cannot be used: the certificate authorities \(reason)"
    }
  }

  private var remedy: String {
    switch self {
    case .notServing: "Check that the address leads to the primary; it is looked up again for each new connection."
    case .busy: "Send fewer requests, or allow more connections or pending commands."
    case .evictsKeys: "Set maxmemory-policy to noeviction."
    case .authorities: "Use a rediss:// URL, and name a readable PEM file with certificates."
    case .refused: "Look the error code up in the documentation of Redis; check the user and the password."
    default: "Check that the server runs, and that the address is right."
    }
  }

  func storeError(server: String) -> StoreError { StoreError("Redis at \(server) \(reason).", remedy: remedy) }
}
