// swift-tools-version: 6.2
import PackageDescription

/// Every target is built to the same rules: Swift 6 mode, the upcoming features that make the visibility of imports,
/// existentials and isolation explicit, and no warning that is let through.
let testRules: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

/// What ships is built with strict memory safety as well; XCTest is not annotated for it.
let rules = testRules + [.strictMemorySafety()]

/// A product of another package, fetched only for consumers that switch a trait on.
func product(_ name: String, _ package: String, _ trait: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: [trait]))
}

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let auth: [Target.Dependency] = ["OSSAuth", "COSAuth", "StorageAuth", "StorageCrypto", httpTypes]

/// A program that shows how something is used.
func example(_ name: String) -> Target {
  .executableTarget(
    name: name,
    dependencies: [
      "StorageClient", "LocalCloud", "ExampleSupport",
      product("ArgumentParser", "swift-argument-parser", "CommandLine"),
      product("AsyncHTTPClient", "async-http-client", "CommandLine"),
      product("NIOCore", "swift-nio", "CommandLine"),
      product("NIOHTTP1", "swift-nio", "CommandLine"),
      product("SystemPackage", "swift-system", "CommandLine"),
    ],
    path: "Examples/\(name)",
    swiftSettings: testRules)
}

let package = Package(
  name: "swift-storage-auth",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "StorageAuth", targets: ["StorageAuth"]),
    .library(name: "OSSAuth", targets: ["OSSAuth"]),
    .library(name: "COSAuth", targets: ["COSAuth"]),
    .library(name: "StorageClient", targets: ["StorageClient"]),
    .library(name: "LocalCloud", targets: ["LocalCloud"]),
    .executable(name: "storage-auth", targets: ["storage-auth"]),
  ],
  traits: [
    .trait(name: "Client", description: "StorageClient: uploads and downloads over AsyncHTTPClient."),
    .trait(name: "Server", description: "LocalCloud: a verifying server on loopback, over Hummingbird."),
    .trait(
      name: "CommandLine", description: "The storage-auth tool and the examples.", enabledTraits: ["Client", "Server"]),
    .default(enabledTraits: ["CommandLine"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLibcrypto",
      pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
    ),
    .target(name: "StorageCrypto", dependencies: ["CLibcrypto"], swiftSettings: rules),
    .target(name: "StorageAuth", dependencies: ["StorageCrypto", httpTypes], swiftSettings: rules),
    .target(name: "OSSAuth", dependencies: ["StorageAuth", "StorageCrypto", httpTypes], swiftSettings: rules),
    .target(name: "COSAuth", dependencies: ["StorageAuth", "StorageCrypto", httpTypes], swiftSettings: rules),
    .target(name: "RequestLines", dependencies: auth, swiftSettings: rules),
    .target(name: "StorageXML", swiftSettings: rules),
    .target(
      name: "StorageClient",
      dependencies: auth + [
        "StorageXML",
        product("AsyncHTTPClient", "async-http-client", "Client"),
        product("NIOCore", "swift-nio", "Client"),
        product("NIOHTTP1", "swift-nio", "Client"),
        product("NIOPosix", "swift-nio", "Client"),
        product("_NIOFileSystem", "swift-nio", "Client"),
        product("SystemPackage", "swift-system", "Client"),
      ],
      swiftSettings: rules
    ),
    .target(
      name: "LocalCloud",
      dependencies: auth + [
        "StorageXML",
        product("HummingbirdCore", "hummingbird", "Server"),
        product("NIOCore", "swift-nio", "Server"),
        product("NIOHTTP1", "swift-nio", "Server"),
        product("NIOPosix", "swift-nio", "Server"),
        product("_NIOFileSystem", "swift-nio", "Server"),
        product("SystemPackage", "swift-system", "Server"),
        product("Logging", "swift-log", "Server"),
      ],
      swiftSettings: rules
    ),
    .executableTarget(
      name: "storage-auth",
      dependencies: auth + [
        "StorageClient", "LocalCloud", "RequestLines",
        product("ArgumentParser", "swift-argument-parser", "CommandLine"),
        product("UnixSignals", "swift-service-lifecycle", "CommandLine"),
        product("SystemPackage", "swift-system", "CommandLine"),
      ],
      path: "Sources/storage-auth",
      swiftSettings: rules
    ),
    .target(
      name: "ExampleSupport", dependencies: ["LocalCloud", "StorageAuth"], path: "Examples/Support",
      swiftSettings: rules),
    example("OSSExample"),
    example("COSExample"),
    example("AnyProviderExample"),
    .target(name: "CAllocationCounter", path: "Benchmarks/CAllocationCounter"),
    .executableTarget(
      name: "signing-benchmark",
      dependencies: auth + ["CAllocationCounter"],
      path: "Benchmarks/Signing",
      resources: [.copy("workloads.json")],
      swiftSettings: rules
    ),
    .target(
      name: "SigningProperties", dependencies: ["StorageAuth", httpTypes], path: "Tests/SigningProperties",
      swiftSettings: testRules),
    .testTarget(
      name: "StorageAuthTests", dependencies: ["StorageAuth", "StorageCrypto", "SigningProperties", httpTypes],
      swiftSettings: testRules),
    .testTarget(name: "OSSAuthTests", dependencies: auth + ["SigningProperties"], swiftSettings: testRules),
    .testTarget(name: "COSAuthTests", dependencies: auth + ["SigningProperties"], swiftSettings: testRules),
    .testTarget(
      name: "RedactionTests", dependencies: auth, exclude: ["check-redaction-coverage.py"], swiftSettings: testRules),
    .testTarget(name: "PackageTests", swiftSettings: testRules),
    .testTarget(
      name: "VectorTests",
      dependencies: auth + ["RequestLines"],
      resources: [.copy("Vectors")],
      swiftSettings: testRules),
    .testTarget(name: "StorageCryptoTests", dependencies: ["StorageCrypto"], swiftSettings: testRules),
    .testTarget(
      name: "LocalCloudTests",
      dependencies: auth + [
        "LocalCloud", "StorageXML",
        product("AsyncHTTPClient", "async-http-client", "Client"),
        product("NIOCore", "swift-nio", "Server"),
        product("NIOHTTP1", "swift-nio", "Server"),
        product("NIOPosix", "swift-nio", "Server"),
        product("_NIOFileSystem", "swift-nio", "Server"),
        product("SystemPackage", "swift-system", "Server"),
      ],
      swiftSettings: testRules),
    .testTarget(
      name: "StorageClientTests",
      dependencies: auth + [
        "StorageClient", "StorageXML", "LocalCloud",
        product("AsyncHTTPClient", "async-http-client", "Client"),
        product("NIOCore", "swift-nio", "Client"),
        product("NIOHTTP1", "swift-nio", "Client"),
        product("NIOPosix", "swift-nio", "Client"),
      ],
      swiftSettings: testRules),
  ]
)
