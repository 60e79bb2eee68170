// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "FileService",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(name: "swift-storage-auth", path: "../swift-storage-auth", traits: ["Client", "Server"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "FileService",
      dependencies: [
        .product(name: "OSSAuth", package: "swift-storage-auth"),
        .product(name: "StorageAuthServer", package: "swift-storage-auth"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]),
    .executableTarget(
      name: "FileClient",
      dependencies: [.product(name: "StorageClient", package: "swift-storage-auth")]),
  ]
)
