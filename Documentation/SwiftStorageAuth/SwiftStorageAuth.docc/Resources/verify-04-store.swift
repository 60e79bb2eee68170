import Hummingbird
import StorageAuth

/// The files of all accounts, in memory.
actor FileStore {
  private struct Name: Hashable {
    let account: AccessKeyID
    let file: String
  }

  private var files: [Name: ByteBuffer] = [:]

  func write(_ bytes: ByteBuffer, to file: String, of account: AccessKeyID) {
    files[Name(account: account, file: file)] = bytes
  }

  func read(_ file: String, of account: AccessKeyID) throws -> ByteBuffer {
    guard let bytes = files[Name(account: account, file: file)] else { throw HTTPError(.notFound) }
    return bytes
  }
}
