// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationTransport
internal import HTTPTypes
internal import StorageAuth
internal import StorageClient
internal import StorageCrypto
internal import SystemPackage

#if canImport(FoundationNetworking)
  public import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

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
    keep(data, of: dataTask.taskIdentifier)
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
    let stage: BackgroundTransferEvent.Stage
    do {
      stage = .downloaded(try FinishedDownload(transfer, response, at: FilePath(location.path)).moved())
    } catch {
      stage = .failed(error)
    }
    keep(stage, of: downloadTask.taskIdentifier)
  }

  /// Refuses a redirect, whose target the signature does not name.
  ///
  /// The system does not call this method for background sessions, which always follow redirects.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Reports the result of a transfer.
  public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let transfer = task.transfer else { return }
    let (body, download) = ended(task.taskIdentifier)
    if let error {
      let host = task.originalRequest?.url?.host() ?? transfer.subject
      let failure =
        (error as? URLError)?.code == .cancelled
        ? TransportError.cancelled(host: host) : TransportError(error, host: host)
      return report(.failed(failure), of: transfer)
    }
    if let download { return report(download, of: transfer) }
    guard let response = task.httpResponse, let content = transfer.content else {
      return report(.failed(TransportError.lost(host: transfer.subject, reason: "there is no response")), of: transfer)
    }
    if let refusal = transfer.target.error(in: response, body: body) { return report(.failed(refusal), of: transfer) }
    do {
      let checksum = ObjectChecksum(.crc64, content.checksum)
      report(.uploaded(try transfer.target.uploaded(response, size: content.size, checksum)), of: transfer)
    } catch {
      report(.failed(error), of: transfer)
    }
  }

  #if !canImport(FoundationNetworking)
    /// Tells the system that the app has received all events.
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
      delivered()
    }
  #endif
}

extension URLSessionTask {
  /// The head of the response, or `nil` if there is none that is valid in HTTP.
  fileprivate var httpResponse: HTTPResponse? {
    (response as? HTTPURLResponse).flatMap { try? HTTPResponse($0, from: originalRequest?.url?.host() ?? "") }
  }
}
