// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
public import StorageClient
public import SystemPackage

/// A transfer of a URL session, as its task describes it to a later launch of the app.
///
/// The description contains no signature and no other secret, because the system stores it.
public struct BackgroundTransfer: Sendable, Hashable, Codable {
  /// The direction of a transfer.
  public enum Direction: String, Sendable, Hashable, Codable {
    /// The transfer uploads a file.
    case upload
    /// The transfer downloads an object into a file.
    case download
  }

  /// The name that the app gave to the transfer.
  public let id: String
  /// The direction of the transfer.
  public let direction: Direction
  /// The path of the file that is uploaded, or into which the object is downloaded.
  public var file: FilePath { FilePath(path) }
  /// The method and the URL of the request, without the query, which is a secret.
  public var subject: String { target.subject }

  let target: PresignedTarget
  /// The file that is uploaded, as it was when the transfer started, or `nil` for a download.
  let content: Content?
  private let path: String

  struct Content: Sendable, Hashable, Codable {
    let size: Int64
    /// The CRC-64 of the file.
    let checksum: UInt64
  }

  init(
    id: String, _ direction: Direction, _ file: FilePath, _ request: PresignedRequest, _ content: Content? = nil
  ) throws(StorageError) {
    self.id = id
    self.direction = direction
    target = try PresignedTarget(request, for: direction == .upload ? .put : .get)
    path = file.absolute.string
    self.content = content
  }
}

/// An event of a background transfer.
public struct BackgroundTransferEvent: Sendable {
  /// The transfer that the event belongs to.
  public let transfer: BackgroundTransfer
  /// The stage that the transfer has reached.
  public let stage: Stage

  /// A stage of a transfer.
  public enum Stage: Sendable {
    /// Bytes have been sent or received.
    case progress(TransferProgress)
    /// The service has stored the file as an object.
    case uploaded(UploadedObject)
    /// The object is complete at its destination.
    case downloaded(ObjectInfo)
    /// The transfer has failed with a `ServiceError`, a `StorageError` or a `TransportError`.
    case failed(any Error)
  }
}
