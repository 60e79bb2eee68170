internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import StorageAuth
internal import StorageCrypto
internal import Synchronization

/// Checks a body against what the signed headers say of it, while it is read.
struct BodyCheck: Sendable {
  private let md5: [UInt8]?
  private let sha256: [UInt8]?
  private let failure = Failure()

  /// Reads what the headers say.
  ///
  /// - Parameters:
  ///   - head: The request.
  ///   - name: The header with the SHA-256 of the body, or `nil` if there is none.
  /// - Throws: A refusal if they say it twice, or in a form that is none.
  init(_ head: HTTPRequest, sha256In name: HTTPField.Name?) throws {
    let md5 = head.headerFields[values: .contentMD5]
    let sha256 = name.map { head.headerFields[values: $0] } ?? []
    guard md5.count < 2, sha256.count < 2 else { throw RequestRefusal.invalidDigest }
    self.md5 = try md5.first.map { text in
      guard let bytes = [UInt8](base64: text), bytes.count == MD5.digestByteCount else {
        throw RequestRefusal.invalidDigest
      }
      return bytes
    }
    self.sha256 = try sha256.first.flatMap { text in
      if text == "UNSIGNED-PAYLOAD" { return nil }
      guard let bytes = [UInt8](hex: text), bytes.count == SHA256.digestByteCount else {
        throw RequestRefusal.invalidDigest
      }
      return bytes
    }
  }

  /// Whether the headers say anything.
  var isNeeded: Bool { md5 != nil || sha256 != nil }

  /// Whether a body was read that is another one.
  var hasFailed: Bool { failure.isSet }

  /// A body that throws at its end if it is another one; its last bytes are given out only when all of it is right.
  func checking(_ body: RequestBody) -> RequestBody {
    RequestBody(asyncSequence: CheckedBody(body: body, md5: md5, sha256: sha256, failure: failure))
  }

  /// Remembers a failure, whatever the handler makes of it.
  final class Failure: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }

    func set() { flag.store(true, ordering: .releasing) }
  }
}

/// A body whose hashes are calculated on the way.
private struct CheckedBody: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  let body: RequestBody
  let md5: [UInt8]?
  let sha256: [UInt8]?
  let failure: BodyCheck.Failure

  func makeAsyncIterator() -> Iterator {
    Iterator(
      base: body.makeAsyncIterator(), md5: md5.map { _ in MD5() }, sha256: sha256.map { _ in SHA256() }, check: self)
  }

  struct Iterator: AsyncIteratorProtocol {
    var base: RequestBody.AsyncIterator
    var md5: MD5?
    var sha256: SHA256?
    let check: CheckedBody
    var held: ByteBuffer?

    @concurrent
    mutating func next() async throws -> ByteBuffer? {
      while let chunk = try await base.next() {
        let bytes = Array(chunk.readableBytesView)
        md5?.update(bytes.span)
        sha256?.update(bytes.span)
        let before = held
        held = chunk
        if let before { return before }
      }
      guard md5?.finalize().bytes == check.md5, sha256?.finalize().bytes == check.sha256 else {
        check.failure.set()
        throw RequestRefusal.bodyMismatch
      }
      defer { held = nil }
      return held
    }
  }
}
