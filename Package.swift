// swift-tools-version: 6.3
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
let aspera: [Target.Dependency] = ["AsperaAuth", "StorageJSON"]

/// What an example with a server of its own needs besides.
let server: [Target.Dependency] = [
  "StorageAuthServer",
  product("Hummingbird", "hummingbird", "CommandLine"),
  product("Logging", "swift-log", "CommandLine"),
]

/// What holds the readers of foreign bytes that are fuzzed.
let fuzzed: [Target.Dependency] =
  auth + aspera + [
    "S3Auth", "AsperaTransfer", "CloudCredentials", "LocalCloud", "RequestLines", "StorageAuthServer",
    "StorageAuthTesting",
    "StorageClient", "StorageCompression", "StorageDiagnosis", "StorageXML",
    product("Hummingbird", "hummingbird", "Server"),
    product("NIOCore", "swift-nio", "Server"),
    product("NIOEmbedded", "swift-nio", "Server"),
    product("NIOHTTP1", "swift-nio", "Server"),
  ]

/// A program that shows how something is used.
func example(_ name: String, _ more: [Target.Dependency] = []) -> Target {
  .executableTarget(
    name: name,
    dependencies: more + [
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
    .library(name: "S3Auth", targets: ["S3Auth"]),
    .library(name: "AsperaAuth", targets: ["AsperaAuth"]),
    .library(name: "AsperaTransfer", targets: ["AsperaTransfer"]),
    .library(name: "CloudCredentials", targets: ["CloudCredentials"]),
    .library(name: "StorageDiagnosis", targets: ["StorageDiagnosis"]),
    .library(name: "StorageClient", targets: ["StorageClient"]),
    .library(name: "StorageAuthServer", targets: ["StorageAuthServer"]),
    .library(name: "LocalCloud", targets: ["LocalCloud"]),
    .library(name: "StorageAuthTesting", targets: ["StorageAuthTesting"]),
    .library(name: "StorageClientTesting", targets: ["StorageClientTesting"]),
    .executable(name: "storage-auth", targets: ["storage-auth"]),
    .executable(name: "ascp-simulator", targets: ["ascp-simulator"]),
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
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
  ],
  targets: [
    .systemLibrary(
      name: "CLibcrypto",
      pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
    ),
    .systemLibrary(
      name: "CZlib",
      pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
    ),
    .target(name: "StorageCrypto", dependencies: ["CLibcrypto"], swiftSettings: rules),
    .target(name: "StorageCompression", dependencies: ["CZlib"], swiftSettings: rules),
    .target(name: "StorageJSON", swiftSettings: rules),
    .target(name: "StorageAuth", dependencies: ["StorageCrypto", "StorageJSON", httpTypes], swiftSettings: rules),
    .target(
      name: "OSSAuth", dependencies: ["StorageAuth", "StorageCrypto", "StorageJSON", httpTypes], swiftSettings: rules),
    .target(
      name: "COSAuth", dependencies: ["StorageAuth", "StorageCrypto", "StorageJSON", httpTypes], swiftSettings: rules),
    .target(
      name: "S3Auth", dependencies: ["StorageAuth", "StorageCrypto", "StorageJSON", httpTypes], swiftSettings: rules),
    .target(
      name: "CloudCredentials",
      dependencies: ["StorageAuth", "StorageCrypto", "StorageJSON", "StorageXML", httpTypes],
      swiftSettings: rules),
    .target(
      name: "AsperaAuth",
      dependencies: [
        "CloudCredentials", "StorageAuth", "StorageCompression", "StorageCrypto", "StorageJSON", httpTypes,
      ],
      swiftSettings: rules),
    .target(
      name: "AsperaTransfer",
      dependencies: aspera + [
        "CloudCredentials", "StorageAuth", "StorageCrypto",
        product("NIOCore", "swift-nio", "Client"),
        product("NIOPosix", "swift-nio", "Client"),
        product("Subprocess", "swift-subprocess", "Client"),
        product("SystemPackage", "swift-system", "Client"),
      ],
      swiftSettings: rules),
    .target(name: "StorageAuthTesting", dependencies: ["StorageAuth", httpTypes], swiftSettings: rules),
    .target(name: "RequestLines", dependencies: auth + ["S3Auth"], swiftSettings: rules),
    .target(name: "StorageXML", swiftSettings: rules),
    .target(name: "StorageDiagnosis", dependencies: auth + ["S3Auth", "StorageXML"], swiftSettings: rules),
    .target(
      name: "StorageClient",
      dependencies: auth + aspera + [
        "AsperaTransfer", "CloudCredentials", "S3Auth", "StorageDiagnosis", "StorageXML",
        product("AsyncHTTPClient", "async-http-client", "Client"),
        product("Logging", "swift-log", "Client"),
        product("NIOCore", "swift-nio", "Client"),
        product("NIOHTTP1", "swift-nio", "Client"),
        product("NIOPosix", "swift-nio", "Client"),
        product("_NIOFileSystem", "swift-nio", "Client"),
        product("Subprocess", "swift-subprocess", "Client"),
        product("SystemPackage", "swift-system", "Client"),
      ],
      swiftSettings: rules
    ),
    .target(
      name: "StorageClientTesting",
      dependencies: [
        "StorageAuth", "StorageClient", "StorageCrypto", httpTypes, product("SystemPackage", "swift-system", "Client"),
      ],
      swiftSettings: rules
    ),
    .target(
      name: "HTTPServing",
      dependencies: [
        product("HummingbirdCore", "hummingbird", "Server"),
        product("Logging", "swift-log", "Server"),
        product("NIOCore", "swift-nio", "Server"),
        product("NIOHTTP1", "swift-nio", "Server"),
      ],
      swiftSettings: rules),
    .testTarget(
      name: "HTTPServingTests",
      dependencies: [
        "HTTPServing",
        product("NIOCore", "swift-nio", "Server"),
        product("NIOEmbedded", "swift-nio", "Server"),
        product("NIOHTTP1", "swift-nio", "Server"),
      ],
      swiftSettings: testRules),
    .target(
      name: "LocalCloud",
      dependencies: auth + aspera + [
        "CloudCredentials", "HTTPServing", "S3Auth", "StorageXML",
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
    .target(
      name: "StorageAuthServer",
      dependencies: auth + aspera + [
        "CloudCredentials", "HTTPServing", "StorageXML",
        product("Hummingbird", "hummingbird", "Server"),
        product("Logging", "swift-log", "Server"),
        product("NIOCore", "swift-nio", "Server"),
        product("NIOHTTP1", "swift-nio", "Server"),
      ],
      swiftSettings: rules
    ),
    .executableTarget(
      name: "ascp-simulator",
      dependencies: aspera + [
        "StorageAuth", "StorageClient", "StorageCrypto", httpTypes,
        product("NIOCore", "swift-nio", "CommandLine"),
        product("NIOPosix", "swift-nio", "CommandLine"),
        product("_NIOFileSystem", "swift-nio", "CommandLine"),
        product("SystemPackage", "swift-system", "CommandLine"),
      ],
      path: "Sources/ascp-simulator",
      swiftSettings: rules
    ),
    .executableTarget(
      name: "storage-auth",
      dependencies: auth + aspera + [
        "AsperaTransfer", "StorageClient", "StorageDiagnosis", "LocalCloud", "RequestLines", "CloudCredentials",
        "S3Auth", "StorageAuthServer",
        product("Hummingbird", "hummingbird", "CommandLine"),
        product("Logging", "swift-log", "CommandLine"),
        product("ArgumentParser", "swift-argument-parser", "CommandLine"),
        product("NIOCore", "swift-nio", "CommandLine"),
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
    example("S3Example"),
    example("AsperaExample"),
    example("AnyProviderExample"),
    example("CredentialsExample"),
    example("TokenServerExample", server),
    example("RemoteSigningExample", auth + server),
    .target(
      name: "VerifiedService", dependencies: ["OSSAuth", "COSAuth", "StorageAuth"] + server,
      path: "Examples/VerifiedService", packageAccess: false, swiftSettings: testRules),
    .executableTarget(
      name: "VerifiedServiceExample",
      dependencies: server + [
        "VerifiedService", "StorageAuth",
        product("ArgumentParser", "swift-argument-parser", "CommandLine"),
        product("NIOCore", "swift-nio", "CommandLine"),
        product("UnixSignals", "swift-service-lifecycle", "CommandLine"),
      ],
      path: "Examples/VerifiedServiceExample", packageAccess: false, swiftSettings: testRules),
    .target(
      name: "OBSProvider", dependencies: ["CloudCredentials", "StorageAuth", "StorageClient", httpTypes],
      path: "Examples/OBSProvider", packageAccess: false, swiftSettings: testRules),
    .executableTarget(
      name: "obs-sign", dependencies: ["OBSProvider", "StorageAuth", httpTypes], path: "Tests/Interop/OBSSign",
      packageAccess: false, swiftSettings: testRules),
    .testTarget(
      name: "OBSProviderTests",
      dependencies: [
        "CloudCredentials", "OBSProvider", "StorageAuth", "StorageAuthServer", "StorageAuthTesting", "StorageClient",
        httpTypes,
        product("Hummingbird", "hummingbird", "Server"),
        product("Logging", "swift-log", "Server"),
        product("NIOCore", "swift-nio", "Server"),
        product("NIOEmbedded", "swift-nio", "Server"),
      ],
      resources: [.copy("Vectors")],
      packageAccess: false,
      swiftSettings: testRules),
    .executableTarget(
      name: "FormUploadExample",
      dependencies: [
        "ExampleSupport", "LocalCloud", "OSSAuth", "COSAuth", "StorageAuth", "StorageAuthServer",
        product("ArgumentParser", "swift-argument-parser", "CommandLine"),
        product("Hummingbird", "hummingbird", "CommandLine"),
        product("NIOCore", "swift-nio", "CommandLine"),
      ],
      path: "Examples/FormUpload",
      resources: [.embedInCode("page.html")],
      swiftSettings: testRules),
    .target(name: "CAllocationCounter", path: "Benchmarks/CAllocationCounter"),
    .executableTarget(
      name: "signing-benchmark",
      dependencies: auth + ["CAllocationCounter", "S3Auth"],
      path: "Benchmarks/Signing",
      resources: [.copy("workloads.json")],
      swiftSettings: rules
    ),
    .target(
      name: "SigningProperties", dependencies: ["StorageAuth", "StorageAuthTesting", httpTypes],
      path: "Tests/SigningProperties", swiftSettings: testRules),
    .testTarget(
      name: "StorageAuthTests",
      dependencies: ["StorageAuth", "StorageAuthTesting", "StorageCrypto", "SigningProperties", httpTypes],
      swiftSettings: testRules),
    .testTarget(
      name: "CloudCredentialsTests",
      dependencies: ["CloudCredentials", "StorageAuth", "StorageAuthTesting", "StorageCrypto", httpTypes],
      swiftSettings: testRules),
    .testTarget(
      name: "StorageAuthTestingTests", dependencies: auth + ["CloudCredentials", "StorageAuthTesting"],
      swiftSettings: testRules),
    .testTarget(
      name: "OSSAuthTests", dependencies: auth + ["SigningProperties", "StorageAuthTesting"], swiftSettings: testRules),
    .testTarget(
      name: "COSAuthTests", dependencies: auth + ["SigningProperties", "StorageAuthTesting"], swiftSettings: testRules),
    .testTarget(
      name: "S3AuthTests",
      dependencies: [
        "S3Auth", "StorageAuth", "StorageCrypto", "SigningProperties", "StorageAuthTesting", "CAllocationCounter",
        httpTypes,
      ],
      resources: [.copy("Vectors")],
      swiftSettings: testRules),
    .testTarget(
      name: "RedactionTests", dependencies: auth + aspera + ["S3Auth", "CloudCredentials", "StorageAuthTesting"],
      exclude: ["check-redaction-coverage.py"],
      swiftSettings: testRules),
    .testTarget(
      name: "ServerRedactionTests",
      dependencies: [
        "AsperaTransfer", "CloudCredentials", "LocalCloud", "StorageAuthServer", "StorageAuthTesting", "StorageClient",
        "StorageDiagnosis",
        product("Hummingbird", "hummingbird", "Server"),
        product("Logging", "swift-log", "Server"),
      ],
      swiftSettings: testRules),
    .testTarget(name: "PackageTests", exclude: ["Arithmetic.txt"], swiftSettings: testRules),
    .testTarget(
      name: "VectorTests",
      dependencies: auth + ["RequestLines", "CloudCredentials"],
      resources: [.copy("Vectors")],
      swiftSettings: testRules),
    .testTarget(name: "StorageCryptoTests", dependencies: ["StorageCrypto"], swiftSettings: testRules),
    .testTarget(name: "StorageCompressionTests", dependencies: ["StorageCompression"], swiftSettings: testRules),
    .testTarget(name: "StorageXMLTests", dependencies: ["StorageXML"], swiftSettings: testRules),
    .testTarget(name: "StorageJSONTests", dependencies: ["StorageJSON"], swiftSettings: testRules),
    .testTarget(
      name: "AsperaAuthTests",
      dependencies: aspera + [
        "CloudCredentials", "StorageAuth", "StorageAuthTesting", "StorageCompression", "StorageCrypto", httpTypes,
      ],
      resources: [.copy("Vectors"), .copy("Keys")],
      swiftSettings: testRules),
    .testTarget(
      name: "FuzzTests",
      dependencies: fuzzed,
      path: "Tests/Fuzz",
      exclude: ["Corpus", "Engine", "run.sh"],
      swiftSettings: testRules),
    .target(name: "ProcessWatching", path: "Tests/ProcessWatching", swiftSettings: testRules),
    .testTarget(
      name: "AsperaTransferTests",
      dependencies: aspera + [
        "ProcessWatching",
        "AsperaTransfer", "CloudCredentials", "StorageAuth", "StorageAuthTesting", "StorageCrypto",
        product("NIOCore", "swift-nio", "Client"),
        product("NIOPosix", "swift-nio", "Client"),
        product("SystemPackage", "swift-system", "Client"),
      ],
      exclude: ["Ascp/fake-ascp.py"],
      swiftSettings: testRules),
    .testTarget(
      name: "LocalCloudTests",
      dependencies: auth + aspera + [
        "CloudCredentials", "HTTPServing", "LocalCloud", "S3Auth", "StorageAuthTesting", "StorageXML",
        product("AsyncHTTPClient", "async-http-client", "Client"),
        product("NIOCore", "swift-nio", "Server"),
        product("NIOHTTP1", "swift-nio", "Server"),
        product("NIOPosix", "swift-nio", "Server"),
        product("_NIOFileSystem", "swift-nio", "Server"),
        product("SystemPackage", "swift-system", "Server"),
      ],
      resources: [.copy("Vectors")], swiftSettings: testRules),
    .testTarget(
      name: "StorageDiagnosisTests",
      dependencies: auth + [
        "S3Auth", "CloudCredentials", "LocalCloud", "StorageAuthTesting", "StorageClient", "StorageDiagnosis",
        "StorageXML",
        product("NIOCore", "swift-nio", "Server"),
        product("NIOPosix", "swift-nio", "Server"),
      ],
      swiftSettings: testRules),
    .testTarget(
      name: "StorageAuthServerTests",
      dependencies: auth + aspera + [
        "CloudCredentials", "LocalCloud", "S3Auth", "StorageAuthServer", "StorageAuthTesting", "StorageClient",
        "VerifiedService",
        product("AsyncHTTPClient", "async-http-client", "Client"),
        product("Hummingbird", "hummingbird", "Server"),
        product("Logging", "swift-log", "Server"),
        product("NIOCore", "swift-nio", "Server"),
        product("NIOHTTP1", "swift-nio", "Server"),
        product("NIOPosix", "swift-nio", "Server"),
      ],
      swiftSettings: testRules),
    .target(name: "CInstructionCounter", path: "Tests/CInstructionCounter"),
    .testTarget(
      name: "ComplexityTests",
      dependencies: auth + aspera + [
        "S3Auth", "CInstructionCounter", "CloudCredentials", "LocalCloud", "RequestLines", "StorageClient",
        "StorageDiagnosis",
        "StorageXML",
        product("NIOCore", "swift-nio", "Client"),
      ],
      swiftSettings: testRules),
    .target(
      name: "LongRun", dependencies: ["StorageClient", "LocalCloud", "StorageAuthTesting"], path: "Tests/LongRun/Core",
      swiftSettings: testRules),
    .executableTarget(
      name: "long-run",
      dependencies: ["LongRun", product("ArgumentParser", "swift-argument-parser", "CommandLine")],
      path: "Tests/LongRun/Program",
      swiftSettings: testRules),
    .testTarget(
      name: "StorageClientTestingTests",
      dependencies: [
        "StorageAuth", "StorageAuthTesting", "StorageClient", "StorageClientTesting", httpTypes,
        product("SystemPackage", "swift-system", "Client"),
      ],
      swiftSettings: testRules),
    .testTarget(
      name: "StorageClientTests",
      dependencies: auth + aspera + [
        "AsperaTransfer", "ProcessWatching",
        "LongRun", "StorageClient", "StorageDiagnosis", "StorageXML", "LocalCloud", "CloudCredentials",
        "StorageAuthTesting",
        product("AsyncHTTPClient", "async-http-client", "Client"),
        product("NIOCore", "swift-nio", "Client"),
        product("Logging", "swift-log", "Client"),
        product("NIOHTTP1", "swift-nio", "Client"),
        product("NIOPosix", "swift-nio", "Client"),
        product("Subprocess", "swift-subprocess", "Client"),
      ],
      swiftSettings: testRules),
  ]
)

// `STORAGE_AUTH_FUZZ=1` makes the replay of the corpora a program that libFuzzer drives. The flags of the sanitizer are
// given on the command line (`make fuzz`), so that the manifest that consumers see has no unsafe ones.
if Context.environment["STORAGE_AUTH_FUZZ"] != nil {
  package.targets.removeAll { $0.name == "FuzzTests" }
  package.targets += [
    .target(name: "FuzzEngine", path: "Tests/FuzzEngine"),
    .executableTarget(
      name: "storage-auth-fuzz",
      dependencies: fuzzed + ["FuzzEngine"],
      path: "Tests/Fuzz",
      exclude: ["Corpus", "CorpusTests.swift", "run.sh"],
      swiftSettings: testRules,
      // gold, which is the default on Linux, ends with an internal error on the names that the address sanitizer makes.
      linkerSettings: [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))]),
  ]
}

// `STORAGE_AUTH_ONLY=OSSAuthTests,COSAuthTests` builds the named targets and what they depend on, so that one module's
// tests are built and run in seconds; every package is still resolved.
if let names = Context.environment["STORAGE_AUTH_ONLY"] {
  var kept: Set<String> = []
  var pending = names.split(separator: ",").map(String.init)
  while let name = pending.popLast() {
    guard kept.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { continue }
    for case .byNameItem(let dependency, _) in target.dependencies { pending.append(dependency) }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { !kept.contains($0.name) }
}

// `STORAGE_AUTH_CORE=1` leaves out everything that needs NIO: the libraries without a network and their tests build in a
// minute then, which is what the sanitizers run. `STORAGE_AUTH_CORE=aspera` leaves AsperaTransfer in.
if let extent = Context.environment["STORAGE_AUTH_CORE"] {
  var core: Set = [
    "CLibcrypto", "CZlib", "StorageCrypto", "StorageCompression", "StorageJSON", "StorageXML", "StorageXMLTests",
    "StorageAuth", "OSSAuth", "COSAuth", "S3Auth", "S3AuthTests", "CAllocationCounter",
    "AsperaAuth", "CloudCredentials", "StorageAuthTesting", "StorageCompressionTests", "StorageJSONTests",
    "AsperaAuthTests", "SigningProperties", "StorageCryptoTests", "StorageAuthTests", "OSSAuthTests",
    "COSAuthTests", "CloudCredentialsTests", "StorageAuthTestingTests", "RequestLines", "VectorTests", "RedactionTests",
  ]
  var packages = ["swift-http-types"]
  if extent == "aspera" {
    core.formUnion(["AsperaTransfer", "AsperaTransferTests", "ProcessWatching"])
    packages += ["swift-nio", "swift-system", "swift-subprocess"]
  }
  package.targets.removeAll { !core.contains($0.name) }
  package.products.removeAll { !core.contains($0.name) }
  package.dependencies.removeAll { dependency in
    guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
    return !packages.contains { location.hasSuffix("/\($0)") }
  }
}
