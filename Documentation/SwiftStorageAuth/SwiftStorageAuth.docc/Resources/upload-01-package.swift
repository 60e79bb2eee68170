// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "FirstUpload",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(name: "swift-storage-auth", path: "../swift-storage-auth", traits: ["Client", "Server"])
  ],
  targets: [
    .executableTarget(
      name: "FirstUpload",
      dependencies: [
        .product(name: "StorageClient", package: "swift-storage-auth"),
        .product(name: "LocalCloud", package: "swift-storage-auth"),
      ])
  ]
)
