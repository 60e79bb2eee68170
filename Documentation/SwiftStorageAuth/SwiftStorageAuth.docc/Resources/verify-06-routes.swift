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

    let files = FileStore()
    let router = Router(context: ServiceContext.self)
    router.add(middleware: middleware).group(context: FileContext.self)
      .put("files/**") { request, context in
        let body = try await request.body.collect(upTo: 1 << 20)
        let file = await files.write(body, to: context.file, of: context.account)
        return Response(status: .ok, headers: file.fields)
      }
      .get("files/**") { _, context in
        let file = try await files.read(context.file, of: context.account)
        return Response(status: .ok, headers: file.fields, body: ResponseBody(byteBuffer: file.bytes))
      }
  }
}
