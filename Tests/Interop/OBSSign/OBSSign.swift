// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import OBSProvider
import StorageAuth

/// Signs requests to OBS from lines of JSON: `{method, host, path, headers, id, secret, token?, date, expires?}`.
///
/// The output for each request is the value of the Authorization header or, if the request has a lifetime (`expires`), a
/// URL. A line with a `form` is verified; its output is the key of the object or the error code.
@main
enum OBSSign {
  struct Form: Decodable {
    let bucket: String
    let fields: [[String]]
    let fileName: String
    let id: String
    let secret: String
    let token: String?
    let date: Int64
  }

  struct FormLine: Decodable {
    let form: Form
  }

  struct Line: Decodable {
    let method: String
    let host: String
    let path: String
    let headers: [[String]]
    let id: String
    let secret: String
    let token: String?
    let date: Int64
    let expires: Int64?
  }

  static func main() throws {
    while let text = readLine() {
      let data = Data(text.utf8)
      if let line = try? JSONDecoder().decode(FormLine.self, from: data) {
        print(verdict(on: line.form))
      } else {
        print(try answer(to: JSONDecoder().decode(Line.self, from: data)))
      }
    }
  }

  private static func verdict(on form: Form) -> String {
    do throws(VerificationError) {
      return try OBSVerifier().verify(
        SubmittedForm(
          bucket: form.bucket, fields: form.fields.map { FormField($0[0], $0[1]) }, fileName: form.fileName),
        against: AccessKey(id: form.id, secret: form.secret, sessionToken: form.token),
        at: Timestamp(unixSeconds: form.date)
      ).key
    } catch {
      return "\(error.code)"
    }
  }

  private static func answer(to line: Line) throws -> String {
    var fields = HTTPFields()
    for pair in line.headers {
      if let name = HTTPField.Name(pair[0]) { fields.append(HTTPField(name: name, value: pair[1])) }
    }
    let request = HTTPRequest(
      method: HTTPRequest.Method(line.method) ?? .options, scheme: "https", authority: line.host, path: line.path,
      headerFields: fields)
    let key = AccessKey(id: line.id, secret: line.secret, sessionToken: line.token)
    let context = SigningContext.at(Timestamp(unixSeconds: line.date))
    let signer = OBSSigner()
    if let seconds = line.expires {
      return try signer.presign(request, with: key, validFor: .seconds(seconds), in: context).url
    }
    return try signer.signed(request, with: key, in: context).headerFields[.authorization] ?? ""
  }
}
