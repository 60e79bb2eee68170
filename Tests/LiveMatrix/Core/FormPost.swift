// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageClient

/// The request with which a browser posts a form.
enum FormPost {
  /// Returns the request that posts a form with a file, and its body.
  static func request(_ form: SignedForm, file: [UInt8]) throws -> (HTTPRequest, body: [UInt8]) {
    guard let url = ServiceURL(form.url) else { throw StepError.deviation("The form has the address \(form.url).") }
    let boundary = ServiceSteps.randomName()
    var text = ""
    for field in form.fields {
      text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field.name)\"\r\n\r\n\(field.value)\r\n"
    }
    text += """
      --\(boundary)\r\nContent-Disposition: form-data; name="\(SignedForm.fileField)"; filename="file"\r
      Content-Type: text/plain\r\n\r\n
      """
    let body = Array(text.utf8) + file + Array("\r\n--\(boundary)--\r\n".utf8)
    let fields: HTTPFields = [
      .contentType: "multipart/form-data; boundary=\(boundary)", .contentLength: "\(body.count)",
    ]
    let request = HTTPRequest(
      method: .post, scheme: url.scheme, authority: url.authority, path: url.path, headerFields: fields)
    return (request, body)
  }
}
