// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import SystemPackage

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ObjectStore {
  /// Uploads a file, in parts if the file is large.
  ///
  /// ```swift
  /// try await client.upload(url, to: "cat.jpg")
  /// ```
  ///
  /// `file` is the URL of the file. The other parameters are those of the upload of a file with a path.
  ///
  /// - Throws: ``StorageError`` if the file or an option is unusable, and the other errors that ``ObjectStore`` lists.
  @discardableResult public func upload(
    _ file: URL, to key: String, contentType: String? = nil, metadata: [String: String] = [:],
    options: UploadOptions = UploadOptions(), progress: TransferProgress.Handler? = nil
  ) async throws -> UploadedObject {
    try await upload(
      FilePath(of: file), to: key, contentType: contentType, metadata: metadata, options: options, progress: progress)
  }

  /// Uploads bytes in memory, in parts if there are many.
  ///
  /// `data` is the content of the object. The other parameters are those of the upload of a file.
  ///
  /// - Throws: ``StorageError`` if an option is unusable, and the other errors that ``ObjectStore`` lists.
  @discardableResult public func upload(
    _ data: Data, to key: String, contentType: String? = nil, metadata: [String: String] = [:],
    options: UploadOptions = UploadOptions(), progress: TransferProgress.Handler? = nil
  ) async throws -> UploadedObject {
    try await upload(
      [UInt8](data), to: key, contentType: contentType, metadata: metadata, options: options, progress: progress)
  }

  /// Downloads an object into a file that appears at its destination only when the download is complete.
  ///
  /// - Throws: ``StorageError`` if the URL is not that of a file, and the errors of
  ///   ``ObjectStore/download(_:to:options:progress:)``, which also describes the parameters.
  @discardableResult public func download(
    _ key: String, to file: URL, options: DownloadOptions = DownloadOptions(), progress: TransferProgress.Handler? = nil
  ) async throws -> ObjectInfo {
    try await download(key, to: FilePath(of: file), options: options, progress: progress)
  }
}

extension FilePath {
  fileprivate init(of url: URL) throws(StorageError) {
    guard url.isFileURL else {
      throw StorageError(
        .unusableFile, "The URL with the scheme \"\(url.scheme ?? "")\" is not that of a file.",
        remedy: "Use a file URL, such as URL(filePath: \"cat.jpg\").")
    }
    self.init(url.path(percentEncoded: false))
  }
}

extension PresignedRequest {
  /// The presigned URL as a URL of Foundation.
  ///
  /// - Throws: A `SigningError` if Foundation does not accept the URL.
  public var foundationURL: URL {
    get throws(SigningError) {
      // If Foundation encodes the URL in another way, the signature is invalid.
      guard let link = URL(string: url), link.absoluteString.utf8.elementsEqual(url.utf8) else {
        throw SigningError(
          .invalidRequest, "Foundation cannot represent the presigned URL.", remedy: "Use its text instead, `url`.")
      }
      return link
    }
  }
}

extension Timestamp {
  /// Creates an instant from a date of Foundation.
  ///
  /// A date that is not a number becomes the earliest instant, so that a credential with this expiration has expired.
  public init(_ date: Date) {
    let interval = date.timeIntervalSince1970
    let wholeSeconds = interval.rounded(.down)
    let seconds = Int64(exactly: wholeSeconds) ?? (interval > 0 ? .max : .min)
    let nanoseconds = Int64(exactly: ((interval - wholeSeconds) * 1_000_000_000).rounded()) ?? 0
    self = Timestamp(unixSeconds: seconds).advanced(by: .nanoseconds(nanoseconds))
  }
}

extension Date {
  /// Creates a date of Foundation from an instant.
  public init(_ instant: Timestamp) {
    self.init(timeIntervalSince1970: Double(instant.unixSeconds) + Double(instant.nanoseconds) / 1_000_000_000)
  }
}

extension ActionableError where Self: LocalizedError {
  /// The sentence that describes the problem, which `localizedDescription` returns.
  public var errorDescription: String? { message }
  /// The sentence that describes how to fix the problem.
  public var recoverySuggestion: String? { remedy }
}

extension CredentialError: LocalizedError {}
extension PolicyError: LocalizedError {}
extension ServiceError: LocalizedError {}
extension SigningError: LocalizedError {}
extension SigningRefusal: LocalizedError {}
extension StorageError: LocalizedError {}
extension TransportError: LocalizedError {}
extension VerificationError: LocalizedError {}
