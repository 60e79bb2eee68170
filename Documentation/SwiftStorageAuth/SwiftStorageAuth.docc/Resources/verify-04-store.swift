import Hummingbird
import StorageAuth

/// The files of all accounts, in memory.
actor FileStore {
  private struct Name: Hashable {
    let account: AccessKeyID
    let file: String
  }

  private var files: [Name: StoredFile] = [:]

  func write(_ bytes: ByteBuffer, to file: String, of account: AccessKeyID) -> StoredFile {
    let stored = StoredFile(bytes)
    files[Name(account: account, file: file)] = stored
    return stored
  }

  func read(_ file: String, of account: AccessKeyID) throws -> StoredFile {
    guard let stored = files[Name(account: account, file: file)] else { throw HTTPError(.notFound) }
    return stored
  }
}

/// The bytes of a file, and the fields of the responses about it.
struct StoredFile {
  let bytes: ByteBuffer
  let fields: HTTPFields

  init(_ bytes: ByteBuffer) {
    self.bytes = bytes
    let hash = MessageDigest.sha256(of: Array(bytes.readableBytesView)).hexadecimal
    fields = [.eTag: "\"\(hash)\""]
  }
}
