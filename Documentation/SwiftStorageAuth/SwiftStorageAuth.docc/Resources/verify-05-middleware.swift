import Hummingbird
import OSSAuth
import StorageAuth
import StorageAuthServer

@main
struct FileService {
  static func main() async throws {
    let accounts = [AccessKey(id: "mia-id", secret: "mia-secret"), AccessKey(id: "noah-id", secret: "noah-secret")]
    let middleware = SignatureMiddleware<ServiceContext>(
      OSSVerifier(region: "cn-hangzhou", style: .path, acceptedVersions: [.v4])
    ) { id in accounts.first { $0.id == id } }
  }
}
