import Foundation
import HTTPTypes
import OBSProvider
import StorageAuth

/// Signs requests to OBS that stand in lines of JSON: `{method, host, path, headers, id, secret, token?, date, expires?}`.
///
/// Each is answered with the value of the Authorization header or, where it says how long it is to work, with a URL.
@main
enum OBSSign {
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
      print(try answer(to: JSONDecoder().decode(Line.self, from: Data(text.utf8))))
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
