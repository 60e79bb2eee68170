import AcmeStorage
import HTTPTypes
import StorageAuth

@main
struct AcmeSign {
  static func main() throws {
    let key = AccessKey(id: "ACMEEXAMPLE", secret: "not-a-secret")
    var request = HTTPRequest(
      method: .get, scheme: "https", authority: "north.storage.acme.example.com", path: "/photos/cat.jpg")
    try AcmeSigner().sign(&request, with: key, in: .now)
    for field in request.headerFields { print("\(field.name): \(field.value)") }
  }
}
