// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "AcmeStorage",
  platforms: [.macOS(.v15)],
  products: [.library(name: "AcmeStorage", targets: ["AcmeStorage"])],
  dependencies: [
    .package(name: "swift-storage-auth", path: "../swift-storage-auth")
  ],
  targets: [
    .target(
      name: "AcmeStorage",
      dependencies: [
        .product(name: "StorageAuth", package: "swift-storage-auth")
      ]),
    .executableTarget(
      name: "AcmeSign",
      dependencies: ["AcmeStorage", .product(name: "StorageAuth", package: "swift-storage-auth")]),
    .testTarget(
      name: "AcmeStorageTests",
      dependencies: [
        "AcmeStorage",
        .product(name: "StorageAuthTesting", package: "swift-storage-auth"),
      ]),
  ]
)
