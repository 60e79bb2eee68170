// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Hummingbird
internal import NIOCore
internal import StorageAuthServer

/// A file with the callers of a token server, which can be read again while the server runs.
final class CallerFile: Sendable {
  private static let pathByteLimit = 2_048
  private static let decodingLimit = 4
  private let path: String
  private let callers: Lock<CallerList>

  /// Reads the callers; errors contain the number of an invalid line, but never its content.
  init(path: String) throws {
    self.path = path
    callers = Lock(try CallerList(path: path))
  }

  /// Reads the file again; if it cannot be used, the previous callers remain.
  func reload() throws {
    guard path != "-" else {
      throw SecretFile.Problem(description: "Standard input cannot be read again. Name a file with --callers.")
    }
    let replacement = try CallerList(path: path)
    callers.withLock { $0 = replacement }
  }

  private func masked(_ text: String) -> String { callers.withLock(\.mask).applied(to: text) }

  /// Returns a path in which the tokens of callers are masked.
  ///
  /// If the path could hide a token, the result is the mask alone: if a decoded form contains a token, if the encoding
  /// is not valid or is applied too many times, or if the path is too long to be searched.
  func maskedPath(_ path: String) -> String {
    guard path.utf8.count <= Self.pathByteLimit else { return Secret.mask }
    let text = masked(path)
    guard path.utf8.contains(UInt8(ascii: "%")) else { return text }
    var previous = text
    // Decodes until the path stays the same; no decoded form may contain a token.
    for _ in 0..<Self.decodingLimit {
      guard let decoded = previous.removingPercentEncoding, masked(decoded).isIdentical(to: decoded) else { break }
      if decoded.isIdentical(to: previous) { return text }
      previous = decoded
    }
    return Secret.mask
  }

  func authenticate(_ request: Request) throws -> String { try callers.withLock(\.self).authenticate(request) }
}

/// The callers of a token server with their bearer tokens, one in each line of a file.
struct CallerList: Sendable {
  /// The maximum length of a name, which becomes part of a session name with at most 64 characters.
  private static let nameByteLimit = 32
  /// The minimum length of a token, so that it cannot be guessed.
  private static let minimumTokenByteCount = 16

  private let callers: [(name: String, token: Secret)]
  let mask: SecretMask

  init(path: String) throws {
    let text = try SecretFile(path).text
    var callers: [(name: String, token: Secret)] = []
    var (names, tokens): (Set<ByteExactString>, Set<ByteExactString>) = ([], [])
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let words = line.whitespaceSeparated
      if words.isEmpty || words[0].beginsWithByte("#") { continue }
      func problem(_ text: String) -> SecretFile.Problem { .init(description: "Line \(index + 1) of \(path) \(text)") }
      guard words.count == 2, words[0].utf8.count <= Self.nameByteLimit, words[0].utf8.allSatisfy(Self.isNameByte),
        words[1].utf8.count >= Self.minimumTokenByteCount
      else {
        throw problem(
          "is not a name and a token. A name has up to \(Self.nameByteLimit) letters, digits, - and _; a token at least "
            + "\(Self.minimumTokenByteCount) characters.")
      }
      guard names.insert(ByteExactString(words[0])).inserted else {
        throw problem("repeats the name of a caller. Use one line for each caller.")
      }
      guard tokens.insert(ByteExactString(words[1])).inserted else {
        throw problem(
          "repeats the token of another caller, so requests could not be attributed. Use a different token for each "
            + "caller.")
      }
      callers.append((String(words[0]), Secret(String(words[1]))))
    }
    guard !callers.isEmpty else {
      throw SecretFile.Problem(description: "\(path) contains no caller: add a line with a name and a token.")
    }
    self.callers = callers
    mask = SecretMask(callers.map(\.token), masksNamedValues: true)
  }

  /// Returns whether a byte may be part of a name, which becomes part of a prefix and of a session name.
  static func isNameByte(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || "-_".utf8.contains(byte) }

  /// Returns the name of the caller that sent a request, or throws the status 401.
  func authenticate(_ request: Request) throws -> String {
    if let text = request.headers[.authorization]?.removingBytePrefix("Bearer ") {
      let token = Secret(String(text))
      // The duration does not depend on the match: each comparison takes constant time, and `filter` makes all of them.
      let matches = callers.filter { $0.token == token }
      if let caller = matches.first { return caller.name }
    }
    throw HTTPError(
      .unauthorized, headers: [.wwwAuthenticate: "Bearer"], message: "Send the bearer token that this server knows.")
  }
}

/// The context of a request, with the caller's name after ``CallerAuthentication`` has authenticated the caller.
struct CallerContext: RemoteAddressRequestContext {
  var coreContext: CoreRequestContextStorage
  var caller: String?
  let remoteAddress: SocketAddress?

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    remoteAddress = source.channel.remoteAddress
  }
}

/// A middleware that passes on only requests of known callers, within the rate limit.
struct CallerAuthentication: RouterMiddleware {
  let callerFile: CallerFile
  let rateLimit: RateLimit?
  let rateStore: any RateStore

  func handle(
    _ request: Request, context: CallerContext, next: @concurrent (Request, CallerContext) async throws -> Response
  ) async throws -> Response {
    let caller = try callerFile.authenticate(request)
    ResponseRecord.current?.record(caller: caller)
    try await applyRateLimit(to: caller)
    var context = context
    context.caller = caller
    return try await next(request, context)
  }

  private func applyRateLimit(to caller: String) async throws {
    guard let rateLimit else { return }
    let delay: Duration?
    do {
      delay = try await rateStore.take(caller, limit: rateLimit, at: SystemTime.system.uptime)
    } catch {
      ResponseRecord.add("\(Timestamp.now.iso8601) \(caller) refused: \(error)")
      throw HTTPError(
        .serviceUnavailable, headers: [.retryAfter: "1"], message: "The server cannot count requests now.")
    }
    guard let delay else { return }
    throw HTTPError(
      .tooManyRequests, headers: [.retryAfter: "\(delay.components.seconds + 1)"],
      message: "Too many requests from this caller.")
  }
}
