// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import SystemPackage

extension PresignedRequest {
  /// Uploads an object with the presigned URL.
  ///
  /// The request is repeated if the network or the service fails, as long as the configuration permits. A conditional
  /// request is not repeated if the service may have received it.
  ///
  /// - Parameters:
  ///   - source: The bytes to upload. Their number must be known.
  ///   - configuration: The retry settings.
  ///   - transport: The transport that sends the request.
  ///   - progress: A closure that receives the progress as bytes are sent, one call at a time, on an arbitrary thread.
  /// - Returns: The service's description of the uploaded object. Its key is the path of the URL without the leading
  ///   slash, which includes the bucket if the URL names the bucket in the path.
  /// - Throws: ``ServiceError`` if the response has the status 203, after which the object is stored
  ///   (``ServiceError/isStored``), or a status of 300 or more; ``StorageError`` if the URL or the source is unusable,
  ///   or the service got other bytes; a stream's error; `TransportError` or `CancellationError` without a response.
  @discardableResult @concurrent
  public func upload(
    _ source: UploadSource, configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = .platformDefault, progress: TransferProgress.Handler? = nil
  ) async throws -> UploadedObject {
    var configuration = configuration
    // A stream can be read only once, so the request cannot be repeated.
    if case .stream = source.storage { configuration.attempts = 1 }
    let exchange = try PresignedExchange(self, for: .put, configuration, transport)
    return try await source.read { bytes, byteCount in
      guard let byteCount else {
        throw StorageError(
          .invalidOption, "The number of bytes of the stream is unknown; a presigned upload is one request.",
          remedy: "Give the length, or write the stream to a file first.")
      }
      return try await exchange.upload(bytes, byteCount: byteCount, progress)
    }
  }

  /// Downloads an object with the presigned URL into a file, which appears at its destination only when it is complete.
  ///
  /// `file` is the destination; an existing file is replaced. The other parameters are those of the upload.
  ///
  /// - Returns: The service's description of the object. Its key is the path of the URL without the leading slash.
  /// - Throws: ``StorageError`` if the URL or the file is unusable, or the bytes are incomplete or damaged, and the
  ///   other errors of ``StorageAuth/PresignedRequest/open(configuration:transport:)``.
  @discardableResult @concurrent
  public func download(
    to file: FilePath, configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = .platformDefault, progress: TransferProgress.Handler? = nil
  ) async throws -> ObjectInfo {
    try await FileReplacement.write(file) { replacement in
      let object = try await open(configuration: configuration, transport: transport)
      let meter = ProgressMeter(total: object.contentLength, handler: progress)
      _ = try await replacement.write(object.body, at: 0, .crc64) { meter.advance(by: $1) }
      return object.info
    }
  }

  /// Starts to download an object with the presigned URL.
  ///
  /// The request is repeated if the network or the service fails before the response arrives. A connection that is lost
  /// afterwards ends the download. The parameters are those of the upload.
  ///
  /// - Returns: The service's description of the object, and its bytes as they arrive.
  /// - Throws: ``ServiceError`` if the response has the status 203 or a status of 300 or more; ``StorageError`` if the
  ///   URL is unusable; `TransportError` or `CancellationError` without a response. Reading the bytes can throw these.
  @concurrent public func open(
    configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = .platformDefault
  ) async throws -> DownloadedObject {
    let exchange = try PresignedExchange(self, for: .get, configuration, transport)
    let received = try await exchange.send(.none)
    let info = exchange.target.objectInfo(from: received.response)
    let length = received.response.contentLength
    try exchange.target.requireEntityTag(in: received.response)
    let body = received.body.verified(
      as: exchange.target.subject, length: length, checksum: exchange.target.checksum(of: info, in: received.response),
      endsWithConnection: received.endsWithConnection)
    return DownloadedObject(info: info, contentLength: length, body: body)
  }
}

/// The sender of the request that a presigned URL authorizes, with retries.
private struct PresignedExchange {
  let target: PresignedTarget
  let configuration: StorageClientConfiguration
  private let request: HTTPRequest
  private let requestsCallback: Bool
  private let checksumAlgorithm: ObjectChecksum.Algorithm
  private let transport: any HTTPTransport
  private let time: any SigningClock = .system

  init(
    _ presigned: PresignedRequest, for method: HTTPRequest.Method, _ configuration: StorageClientConfiguration,
    _ transport: any HTTPTransport
  ) throws(StorageError) {
    target = try PresignedTarget(presigned, for: method)
    let url = try presigned.serviceURL
    requestsCallback = try presigned.requestsCallback
    checksumAlgorithm = PresignedURLRules.checksumAlgorithm(of: url)
    request = HTTPRequest(
      method: method, scheme: url.scheme, authority: url.authority, path: url.path, headerFields: presigned.headers)
    self.configuration = configuration
    self.transport = transport
  }

  /// Sends the bytes of an object, and compares their checksum with that in the response.
  func upload(
    _ bytes: ByteStream, byteCount: Int64, _ progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    let progressMeter = ProgressMeter(total: byteCount, handler: progress)
    let meter = BodyMeter(length: byteCount, checksumAlgorithm, progress: progressMeter)
    let received = try await send(meter.body(of: bytes), measuredBy: meter)
    var callbackReply: [UInt8]?
    if requestsCallback {
      callbackReply = try await received.body.collected(upTo: PresignedTarget.callbackReplyLimit)
    } else {
      // The head of the response reports the success, so an error of the connection does not matter any more.
      _ = try? await received.body.collected(upTo: ServiceError.bodyLimit)
    }
    return try target.uploadedObject(
      from: received.response, size: byteCount, checksum: meter.checksum, callbackReply: callbackReply)
  }

  /// Sends the request with a body, and again after a failure as long as the retry plan permits.
  func send(_ body: HTTPBody, measuredBy meter: BodyMeter? = nil) async throws -> HTTPStreamingResponse {
    var request = request
    if request.method == .put { request.headerFields[.contentLength] = "\(body.length)" }
    // Sent again after a lost response, a conditional upload would fail at the object that it stored itself.
    let isConditional = request.headerFields.contains { field in
      [.ifMatch, .ifNoneMatch].contains(field.name) || field.name.canonicalName.hasByteSuffix("-forbid-overwrite")
    }
    var plan = RetryPlan(configuration, isRepeatable: request.method != .put || !isConditional)
    while true {
      let nextStep: RetryPlan.Step?
      let failure: any Error
      do {
        let received = try await transport.send(request, body: body)
        if received.response.isSuccess { return received }
        let (bytes, isTruncated) = try await received.errorBody()
        var error = target.error(in: received.response, body: bytes)
        error.attempts = plan.attemptNumber
        let isReasonLost = isTruncated && !error.isExplained
        nextStep = isReasonLost ? plan.scheduleRetry(afterTruncation: error) : plan.scheduleRetry(after: error)
        failure = error
      } catch let error as TransportError {
        try error.throwCause(recordedBy: meter)
        nextStep = plan.scheduleRetry(after: error)
        failure = error
      }
      guard let nextStep else { throw failure }
      plan.attemptNumber += 1
      try await time.sleep(for: nextStep.delay)
    }
  }
}

extension PresignedRequest {
  /// Creates a presigned request from a URL that an app's server has presigned, whose query contains the expiration.
  ///
  /// ```swift
  /// let url = try await app.uploadURL(for: "cat.jpg")
  /// try await PresignedRequest(.put, url: url, headers: [.contentType: "image/jpeg"]).upload(.file("cat.jpg"))
  /// ```
  ///
  /// - Parameters:
  ///   - method: The HTTP method that the URL authorizes.
  ///   - url: The presigned URL, including the signature.
  ///   - headers: The signed headers, which must be sent with exactly these values.
  /// - Throws: ``StorageError/Code/invalidOption`` if the URL has no expiration that can be read.
  public init(_ method: HTTPRequest.Method, url: String, headers: HTTPFields = [:]) throws(StorageError) {
    guard let expiration = PresignedURLRules.expiration(of: url) else {
      throw StorageError(
        .invalidOption, "The URL has no parameter that states until when its signature is valid.",
        remedy: "Pass the whole URL as it was presigned, or name the expiration.")
    }
    self.init(method: method, url: url, headers: headers, expiration: expiration)
  }

  /// Whether the request makes the service call a server of the app after the upload.
  var requestsCallback: Bool {
    get throws(StorageError) {
      let parameterNames = try serviceURL.path.query.split(separator: "&").map { String($0.prefix { $0 != "=" }) }
      return (parameterNames + headers.map(\.name.canonicalName)).contains(where: PresignedURLRules.isCallbackName)
    }
  }

  /// The parts of the presigned URL.
  var serviceURL: ServiceURL {
    get throws(StorageError) {
      guard let parts = ServiceURL(url) else {
        throw StorageError(
          .invalidOption, "The presigned URL is not a URL of a service.",
          remedy: "Pass the whole URL as it was created, with https:// or http:// and without a fragment.")
      }
      return parts
    }
  }
}

extension PresignedURLRules {
  private static let allRules = ServiceDescription.known.compactMap(\.presignedURLs)

  /// Returns whether a parameter belongs to a signature, or selects a version or headers of the response.
  ///
  /// Any other parameter can make the service convert the object.
  static func leavesObjectUnprocessed(_ parameter: Substring) -> Bool {
    let name = String(parameter.prefix { $0 != "=" }).asciiLowercased
    return name == "versionid" || name.hasBytePrefix("response-")
      || allRules.contains { $0.leavesObjectUnprocessed(name) }
  }

  /// Returns whether a parameter or a header makes a service call a server of the app after an upload.
  static func isCallbackName(_ name: String) -> Bool {
    allRules.contains { $0.callbackNames.contains(name.asciiLowercased) }
  }

  static func expiration(of url: String) -> Timestamp? {
    let values = values(of: url.query)
    return allRules.lazy.compactMap { $0.expiration(values) }.first
  }

  /// Returns the algorithm of the checksum that the service reports after an upload to a URL.
  ///
  /// OSS and COS report CRC-64/XZ also for a URL with a signature of S3.
  static func checksumAlgorithm(of url: ServiceURL) -> ObjectChecksum.Algorithm {
    let values = values(of: url.path.query)
    let host = hostWithoutPort(url.authority).asciiLowercased
    let services = ServiceDescription.known.filter {
      $0.owns(host: host) || $0.presignedURLs?.expiration(values) != nil
    }
    return services.map(\.name) == [ServiceDescription.s3.name] ? .crc64NVME : .crc64
  }

  private static func values(of query: Substring) -> [String: String] {
    var values: [String: String] = [:]
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { values[String(parts[0]).asciiLowercased] = String(parts[1]) }
    }
    return values
  }
}

extension String {
  /// The part of a URL after the question mark.
  var query: Substring { drop { $0 != "?" }.dropFirst() }
}
