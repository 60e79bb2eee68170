// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import FoundationTransport
internal import HTTPTypes
internal import StorageAuth
public import StorageClient
internal import StorageCrypto
public import SystemPackage

#if canImport(FoundationNetworking)
  public import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The delegate of a URL session that transfers files with presigned URLs, also while the app is suspended.
///
/// The app owns the delegate and the session. With a background configuration the system goes on with the transfers
/// when the app is suspended or ended, and starts the app again for their events; the app then creates the delegate and
/// the session with the same identifier.
///
/// ```swift
/// let transfers = BackgroundTransfers()
/// let session = URLSession(
///   configuration: .background(withIdentifier: "com.example.photos"), delegate: transfers, delegateQueue: nil)
/// try await transfers.upload(file, to: "cat.jpg", of: client, id: "cat", in: session)
/// for await event in transfers.events { show(event) }
/// ```
public final class BackgroundTransfers: NSObject, Sendable {
  /// The events of all transfers.
  ///
  /// The sequence can be iterated once. Events are kept until they are read.
  public let events: AsyncStream<BackgroundTransferEvent>

  private let continuation: AsyncStream<BackgroundTransferEvent>.Continuation
  private let state = Lock(State())

  private struct State {
    /// The beginnings of responses by task; a number does not identify a task, because each session counts its own.
    var bodies: [ObjectIdentifier: [UInt8]] = [:]
    /// The results of downloads by task, which are known before their tasks end.
    var downloadResults: [ObjectIdentifier: BackgroundTransferEvent.Stage] = [:]
    /// The function of the system that is called when all events have been delivered.
    var completion: (@Sendable @MainActor () -> Void)?
  }

  /// Creates a delegate without transfers.
  override public init() { (events, continuation) = AsyncStream.makeStream() }

  /// Starts to upload a file with a presigned URL.
  ///
  /// The method returns when the task has been handed to the system. The file must exist and stay unchanged until the
  /// transfer ends. The lifetime of the URL must include the time in which the system may delay the transfer.
  ///
  /// `request` has the method PUT, `id` is the app's name for the transfer, which its events contain, and `session` is a
  /// session whose delegate is this object.
  ///
  /// - Throws: `StorageError` if the file or the URL is unusable; `TransportError` if `URLSession` would change it.
  @concurrent public func upload(
    _ file: FilePath, with request: PresignedRequest, id: String, in session: URLSession
  ) async throws {
    let content = try await Self.measuredContent(of: file)
    let transfer = try BackgroundTransfer(id: id, .upload, file, request, content)
    let urlRequest = try URLRequest(request, bodyByteCount: content.size)
    try start(session.uploadTask(with: urlRequest, fromFile: URL(filePath: transfer.file.string)), for: transfer)
  }

  /// Starts to download an object with a presigned URL into a file, which appears only when it is complete.
  ///
  /// The method returns when the task has been handed to the system. `request` has the method GET, and `file` replaces
  /// an existing one. The other parameters are those of ``upload(_:with:id:in:)``.
  ///
  /// - Throws: `StorageError` if the URL is unusable; `TransportError` if `URLSession` would change the request.
  public func download(with request: PresignedRequest, to file: FilePath, id: String, in session: URLSession) throws {
    let transfer = try BackgroundTransfer(id: id, .download, file, request)
    try start(session.downloadTask(with: try URLRequest(request)), for: transfer)
  }

  /// Presigns a URL that lasts as long as the transfer may take, and starts to upload a file with it.
  ///
  /// The system has to start the upload within `duration`, in whole seconds. The credential of the client of the bucket
  /// is renewed first unless it lives as long as the URL. Without `contentType`, the media type is derived from the
  /// extension of the file name or of the key. Without `id`, the name of the transfer is the key. The other parameters
  /// are those of ``upload(_:with:id:in:)``.
  ///
  /// - Throws: The errors of `presign`, such as `CredentialError`, and of ``upload(_:with:id:in:)``.
  public func upload(
    _ file: FilePath, to key: String, of client: StorageClient<some PresigningProvider>, contentType: String? = nil,
    validFor duration: Duration = .seconds(6 * 3_600), id: String? = nil, in session: URLSession
  ) async throws {
    let typedName = file.extension == nil ? key : file.string
    let request = try await client.presign(
      .put, key, contentType: contentType ?? MediaType.ofFile(named: typedName), validFor: duration)
    try await upload(file, with: request, id: id ?? key, in: session)
  }

  /// Presigns a URL that lasts as long as the transfer may take, and starts to download an object with it.
  ///
  /// The system has to start the download within `duration`, in whole seconds. The other parameters are those of
  /// ``download(with:to:id:in:)``, and those of an upload with a client.
  ///
  /// - Throws: The errors of `presign`, such as `CredentialError`, and of ``download(with:to:id:in:)``.
  public func download(
    _ key: String, of client: StorageClient<some PresigningProvider>, to file: FilePath,
    validFor duration: Duration = .seconds(6 * 3_600), id: String? = nil, in session: URLSession
  ) async throws {
    try download(with: try await client.presign(.get, key, validFor: duration), to: file, id: id ?? key, in: session)
  }

  /// Returns the transfers of a session that have not ended, such as those that an earlier launch of the app started.
  public func transfers(in session: URLSession) async -> [BackgroundTransfer] {
    await Self.tasks(in: session).compactMap(\.transfer)
  }

  /// Cancels a session's transfers with a name, which then fail with a `TransportError` with the code `cancelled`.
  public func cancel(_ id: String, in session: URLSession) async {
    for task in await Self.tasks(in: session) where task.transfer?.id == id { task.cancel() }
  }

  /// Calls a function on the main actor when all events have been delivered for which the system started the app.
  ///
  /// Pass what the system gives to `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
  public func whenEventsAreDelivered(_ completion: @escaping @Sendable @MainActor () -> Void) {
    state.withLock { $0.completion = completion }
  }

  private static func tasks(in session: URLSession) async -> [URLSessionTask] {
    await withCheckedContinuation { continuation in session.getAllTasks { continuation.resume(returning: $0) } }
  }

  private func start(_ task: URLSessionTask, for transfer: BackgroundTransfer) throws {
    try task.describe(transfer)
    task.resume()
  }

  /// Reads a file, and returns its size and its checksum, with which the response to its upload is compared.
  private static func measuredContent(of file: FilePath) async throws -> BackgroundTransfer.Content {
    try await UploadSource.file(file).read { bytes, _ in
      var crc = CRC(.crc64ECMA)
      var size: Int64 = 0
      for try await chunk in bytes {
        crc.update(chunk)
        size = size.saturatingAdding(Int64(chunk.count))
      }
      return BackgroundTransfer.Content(size: size, checksum: crc.checksum)
    }
  }

  func report(_ stage: BackgroundTransferEvent.Stage, of transfer: BackgroundTransfer) {
    continuation.yield(BackgroundTransferEvent(transfer: transfer, stage: stage))
  }

  /// Calls the function of ``whenEventsAreDelivered(_:)`` once.
  func callSystemCompletion() {
    let completion = state.withLock { state in
      defer { state.completion = nil }
      return state.completion
    }
    if let completion { Task { @MainActor in completion() } }
  }
}

extension BackgroundTransfers: URLSessionDataDelegate, URLSessionDownloadDelegate {
  /// Reports the progress of an upload.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    guard let transfer = task.transfer else { return }
    report(.progress(TransferProgress(completed: totalBytesSent, total: transfer.content?.size)), of: transfer)
  }

  /// Keeps the beginning of the response to an upload, which describes an error.
  public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard dataTask.transfer != nil else { return }
    state.withLock { state in
      let remainingByteCount = ServiceError.bodyLimit - state.bodies[ObjectIdentifier(dataTask), default: []].count
      state.bodies[ObjectIdentifier(dataTask), default: []] += data.prefix(remainingByteCount)
    }
  }

  /// Reports the progress of a download.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    guard let transfer = downloadTask.transfer else { return }
    let total = totalBytesExpectedToWrite < 0 ? nil : totalBytesExpectedToWrite
    report(.progress(TransferProgress(completed: totalBytesWritten, total: total)), of: transfer)
  }

  /// Checks a download, and moves its file to the destination.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    guard let transfer = downloadTask.transfer, let response = downloadTask.httpResponse else { return }
    let result: BackgroundTransferEvent.Stage
    do {
      let download = FinishedDownload(transfer: transfer, response: response, location: FilePath(location.path))
      result = .downloaded(try download.moveToDestination())
    } catch { result = .failed(error) }
    state.withLock { $0.downloadResults[ObjectIdentifier(downloadTask)] = result }
  }

  /// Refuses a redirect, whose target the signature does not name.
  ///
  /// The system does not call this method for background sessions, which always follow redirects.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) { completionHandler(nil) }

  /// Reports the result of a transfer.
  public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let transfer = task.transfer else { return }
    let id = ObjectIdentifier(task)
    let (body, downloadResult) = state.withLock { state in
      (state.bodies.removeValue(forKey: id) ?? [], state.downloadResults.removeValue(forKey: id))
    }
    if let error {
      let host = task.originalRequest?.url?.host() ?? transfer.subject
      let isCancelled = (error as? URLError)?.code == .cancelled
      report(.failed(isCancelled ? .cancelled(host: host) : TransportError(error, host: host)), of: transfer)
    } else if let downloadResult {
      report(downloadResult, of: transfer)
    } else {
      report(uploadResult(of: transfer, task.httpResponse, body), of: transfer)
    }
  }

  /// Returns the result of an upload whose task ended without an error.
  private func uploadResult(
    of transfer: BackgroundTransfer, _ response: HTTPResponse?, _ body: [UInt8]
  ) -> BackgroundTransferEvent.Stage {
    // A download without a result, which has no content, had no response either.
    guard let response, let content = transfer.content else {
      return .failed(TransportError.lost(host: transfer.subject, reason: "there is no response"))
    }
    guard response.isSuccess else { return .failed(transfer.target.error(in: response, body: body)) }
    do {
      let checksum = ObjectChecksum(.crc64, content.checksum)
      return .uploaded(try transfer.target.uploadedObject(from: response, size: content.size, checksum: checksum))
    } catch { return .failed(error) }
  }

  #if !canImport(FoundationNetworking)
    /// Tells the system that the app has received all events.
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { callSystemCompletion() }
  #endif
}

extension URLSessionTask {
  fileprivate var httpResponse: HTTPResponse? {
    (response as? HTTPURLResponse).flatMap { try? HTTPResponse($0, from: originalRequest?.url?.host() ?? "") }
  }

  /// The transfer that the task carries out, or `nil` if the task was not started by ``BackgroundTransfers``.
  var transfer: BackgroundTransfer? {
    taskDescription.flatMap { try? JSONDecoder().decode(BackgroundTransfer.self, from: Data($0.utf8)) }
  }

  /// Stores the transfer in the description of the task, which the system keeps over launches of the app.
  func describe(_ transfer: BackgroundTransfer) throws {
    taskDescription = String(decoding: try JSONEncoder().encode(transfer), as: UTF8.self)
  }
}
