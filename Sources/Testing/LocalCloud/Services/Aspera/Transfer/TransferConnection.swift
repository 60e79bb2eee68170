// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// A connection to the simulated transfer server, with its login, session and open files.
final class TransferConnection: Sendable {
  /// A transfer session that has begun on a connection.
  struct Session: Sendable {
    let direction: TransferDirection
    /// The permissions of the session, or `nil` if it may access all paths.
    let permissions: TransferPermissions?
    let record: TransferRecord
  }

  /// A file that the server sends or receives on the connection.
  enum OpenFile: Sendable {
    case sending(Content)
    /// An upload with the bytes that have arrived.
    case receiving(Upload, [Extent])
    /// An upload that is complete.
    case received
  }

  /// The description of a file that a client uploads.
  struct Upload: Sendable {
    let path: NodePath
    let byteCount: Int64
    /// The modification time of the source, or `nil` if the client did not send it.
    let modified: Timestamp?
    /// Whether the file gets the modification time of the source.
    let keepsTime: Bool
    /// Whether a later session may resume the file if this one does not complete it.
    let isResumable: Bool

    /// The key by which a later session finds the part that has arrived, or `nil` if it may not resume the file.
    var resumptionKey: ResumptionKey? {
      guard isResumable, let modified else { return nil }
      return ResumptionKey(path: path, byteCount: byteCount, modified: modified)
    }
  }

  struct ResumptionKey: Hashable {
    let path: NodePath
    let byteCount: Int64
    let modified: Timestamp
  }

  private struct State {
    var account: LocalCloud.TransferAccount?
    var session: Session?
    var files: [OpenFile] = []
    var transferredByteCount: Int64 = 0
  }

  /// The maximum number of bytes to transfer in one request, unless a fault requires fewer bytes.
  private static let pieceByteLimit: Int64 = 1024 * 1024

  private let fault: LocalCloud.TransferFault?
  private let state = Lock(State())

  init(_ fault: LocalCloud.TransferFault?) { self.fault = fault }

  /// The account that logged in on the connection, or `nil` before the login.
  var account: LocalCloud.TransferAccount? {
    get { state.withLock { $0.account } }
    set { state.withLock { $0.account = newValue } }
  }

  var session: Session? {
    get { state.withLock { $0.session } }
    set { state.withLock { $0.session = newValue } }
  }

  /// The maximum number of bytes to transfer in one request of the connection.
  var pieceByteLimit: Int64 {
    guard case .afterBytes(let bytes)? = fault?.location else { return Self.pieceByteLimit }
    return min(max(bytes, 1), Self.pieceByteLimit)
  }

  /// Returns the session, or throws if none has begun or if it transfers in another direction than the required one.
  func requireSession(_ direction: TransferDirection? = nil) throws(TransferRefusal) -> Session {
    guard let session, direction == nil || session.direction == direction else { throw .protocolError }
    return session
  }

  /// Returns the fault that is planned for a point of the transfer, or `nil` if no fault occurs there.
  func fault(at location: LocalCloud.TransferFault.Location) -> LocalCloud.TransferFault? {
    fault?.location == location ? fault : nil
  }

  /// Returns the fault that is due after enough bytes, or at the end of the content.
  func faultInContent(isEnd: Bool) -> LocalCloud.TransferFault? {
    guard let fault, case .afterBytes(let bytes) = fault.location else { return nil }
    return isEnd || state.withLock { $0.transferredByteCount } >= bytes ? fault : nil
  }

  /// Opens a file for the transfer and returns the number that identifies the file on this connection.
  func open(_ file: OpenFile) -> Int {
    state.withLock { state in
      state.files.append(file)
      return state.files.count - 1
    }
  }

  func file(_ number: Int) -> OpenFile? {
    state.withLock { $0.files.indices.contains(number) ? $0.files[number] : nil }
  }

  func update(_ number: Int, to file: OpenFile) { state.withLock { $0.files[number] = file } }

  func addTransferredBytes(_ byteCount: Int64) { state.withLock { $0.transferredByteCount += byteCount } }

  /// Whether all files that the server receives on the connection are complete.
  var isComplete: Bool {
    state.withLock { state in
      state.files.allSatisfy { file in
        if case .receiving = file { false } else { true }
      }
    }
  }
}
