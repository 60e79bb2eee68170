// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "PhotoApp",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-storage-auth", path: "../swift-storage-auth", traits: ["Client", "Server"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .executableTarget(
      name: "KeyServer",
      dependencies: [
        .product(name: "COSAuth", package: "swift-storage-auth"),
        .product(name: "CredentialSources", package: "swift-storage-auth"),
        .product(name: "LocalCloud", package: "swift-storage-auth"),
        .product(name: "StorageAuthServer", package: "swift-storage-auth"),
        .product(name: "StorageClient", package: "swift-storage-auth"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .executableTarget(
      name: "PhotoApp",
      dependencies: [.product(name: "StorageClient", package: "swift-storage-auth")]),
  ]
)
