// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import HTTPTypes
internal import LocalCloud
internal import OSSAuth
internal import S3Auth
internal import StorageAuth

/// A form as a browser sends it.
struct FormBody {
  var boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW"
  var fields: [FormField]
  var fileName = "cat.png"
  var fileType: String? = "image/png"
  var file: [UInt8]
  /// The fields that follow the file.
  var after: [FormField] = []

  init(_ form: SignedForm, adding more: [FormField] = [], file: [UInt8]) {
    fields = form.fields + more
    self.file = file
  }

  /// Changes the value of a field, or removes the field if the value is `nil`.
  mutating func change(_ name: String, to value: String?) {
    guard let index = fields.firstIndex(where: { $0.name == name }) else { return }
    if let value { fields[index] = FormField(name, value) } else { fields.remove(at: index) }
  }

  var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  /// The encoded form.
  var bytes: [UInt8] {
    var text: [UInt8] = []
    func part(_ field: FormField) -> String {
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field.name)\"\r\n\r\n\(field.value)\r\n"
    }
    for field in fields { text += part(field).utf8 }
    text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(fileName)\"\r\n".utf8
    if let fileType { text += "Content-Type: \(fileType)\r\n".utf8 }
    text += "\r\n".utf8
    text += file
    text += "\r\n".utf8
    for field in after { text += part(field).utf8 }
    text += "--\(boundary)--\r\n".utf8
    return text
  }
}

extension TestClient {
  /// The form signers of the service: V4 and V1 of OSS, V5 of COS, V4 of S3.
  var formSigners: [any FormSigner<AccessKey>] {
    switch provider {
    case .oss: [OSSSigner(.v4, region: "cn-hangzhou"), OSSSigner(.v1)]
    case .cos: [COSSigner()]
    case .s3: [S3Signer(region: "us-east-1")]
    }
  }

  /// The policy that most tests use, with changes.
  func policy(_ change: (inout FormPolicy) -> Void = { _ in }) -> FormPolicy {
    var policy = FormPolicy(
      bucket: CloudTestCase.bucket, objects: .prefix("uploads/alice/"), sizes: 1...1_000,
      until: clock.now.advanced(by: .seconds(600)))
    change(&policy)
    return policy
  }

  /// Signs a form.
  func form(_ signer: any FormSigner<AccessKey>, _ policy: FormPolicy, with other: AccessKey? = nil) throws
    -> SignedForm
  {
    try signer.sign(policy, to: cloud.endpoint(of: provider), with: other ?? key, in: .at(clock.now))
  }

  /// Posts a form to a bucket.
  func post(
    _ body: FormBody, to bucket: String = CloudTestCase.bucket, headers: [String: String] = [:]
  ) async throws -> Reply {
    try await post(body.bytes, type: body.contentType, to: bucket, headers: headers)
  }

  /// Posts bytes as a form.
  func post(
    _ bytes: [UInt8], type: String, to bucket: String = CloudTestCase.bucket, headers: [String: String] = [:]
  ) async throws -> Reply {
    let all = headers.merging(["Content-Type": type]) { _, new in new }
    return try await send(request(.post, bucket: bucket, headers: all), body: bytes)
  }
}
