// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import S3Auth
internal import StorageAuth
internal import StorageCrypto

/// A request to S3 whose signature covers its payload, and the bytes that are sent.
struct S3Upload {
  var request: HTTPRequest
  var wire: [UInt8]

  /// The bytes of each frame of a chunked body: the header line, the chunk, the line break; the final frame is last.
  var frames: [[UInt8]] = []
}

extension TestClient {
  /// Returns a request for S3 with an unframed body.
  func upload(
    _ key: String?, _ body: [UInt8], as payload: S3Payload? = nil, _ method: HTTPRequest.Method = .put,
    query: KeyValuePairs<String, String?> = [:], headers: [String: String] = [:]
  ) throws -> S3Upload {
    let signer = S3Signer(region: "us-east-1", payload: payload ?? .bytes(body))
    let request = try request(method, key, query: query, headers: headers)
    return S3Upload(request: try signer.signed(request, with: self.key, in: .at(clock.now)), wire: body)
  }

  /// Returns a request for S3 with a chunked body.
  func chunked(
    _ key: String, _ body: [UInt8], as payload: S3Payload, inChunksOf size: Int = 8192,
    trailer: S3Checksum.Algorithm = .crc32, decoded: Int? = nil, headers: [String: String] = [:]
  ) throws -> S3Upload {
    var all = headers
    all["content-encoding"] = all["content-encoding"] ?? "aws-chunked"
    all["x-amz-decoded-content-length"] = "\(decoded ?? body.count)"
    if payload.hasTrailer { all["x-amz-trailer"] = trailer.fieldName }
    var upload = try upload(key, [], as: payload, headers: all)
    var exact = upload.request
    if decoded != nil {
      all["x-amz-decoded-content-length"] = "\(body.count)"
      exact = try self.upload(key, [], as: payload, headers: all).request
    }
    var encoder = try S3ChunkEncoder(exact, with: self.key)
    for start in stride(from: 0, to: body.count, by: size) {
      let chunk = Array(body[start..<min(start + size, body.count)])
      upload.frames.append(try encoder.head(of: chunk) + chunk + S3ChunkEncoder.chunkEnd)
    }
    var sum = S3Checksum(trailer)
    sum.update(body)
    upload.frames.append(try encoder.end(trailer: payload.hasTrailer ? sum.base64 : nil))
    upload.wire = upload.frames.flatMap { $0 }
    return upload
  }

  /// Sends a request with its body.
  func send(_ upload: S3Upload) async throws -> Reply { try await send(upload.request, body: upload.wire) }

  /// The Base64 encoding of the checksum of bytes.
  static func sum(_ body: [UInt8], _ algorithm: S3Checksum.Algorithm) -> String {
    var sum = S3Checksum(algorithm)
    sum.update(body)
    return sum.base64
  }
}
