// swift-tools-version: 6.3
// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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

/// The modules in `Sources` from the bottom up, each with what it may import.
///
/// A module may import only those of its line, which are above it. ArchitectureTests compares the sources with these
/// lines, and ArchitecturePageTests the graph and the table in `Documentation/Architecture.md`.
let modules: KeyValuePairs<String, [String]> = [
  "StorageCrypto": ["CLibcrypto", "CCarryless"],
  "StorageCompression": ["CZlib"],
  "StorageJSON": [],
  "StorageXML": [],
  "StorageAuth": ["StorageCrypto", "StorageJSON", "HTTPTypes"],
  "OSSAuth": ["StorageAuth", "StorageCrypto", "HTTPTypes"],
  "COSAuth": ["StorageAuth", "StorageCrypto", "StorageJSON", "HTTPTypes"],
  "S3Auth": ["StorageAuth", "StorageCrypto", "HTTPTypes"],
  "CloudCredentials": ["StorageAuth", "StorageCrypto", "StorageJSON", "StorageXML", "HTTPTypes"],
  "AsperaAuth": [
    "CloudCredentials", "StorageAuth", "StorageCompression", "StorageCrypto", "StorageJSON", "HTTPTypes",
  ],
  "StorageDiagnosis": ["OSSAuth", "COSAuth", "S3Auth", "StorageAuth", "StorageCrypto", "StorageXML", "HTTPTypes"],
  "SigningJobs": ["OSSAuth", "COSAuth", "S3Auth", "StorageAuth", "StorageCrypto", "HTTPTypes"],
  "AsperaTransfer": ["AsperaAuth", "CloudCredentials", "StorageAuth", "StorageCrypto"],
  "StorageClient": [
    "OSSAuth", "COSAuth", "S3Auth", "AsperaAuth", "AsperaTransfer", "CloudCredentials", "StorageAuth", "StorageCrypto",
    "StorageDiagnosis", "StorageJSON", "StorageXML", "HTTPTypes",
  ],
  "HTTPServing": [],
  "LocalCloud": [
    "OSSAuth", "COSAuth", "S3Auth", "AsperaAuth", "CloudCredentials", "HTTPServing", "StorageAuth", "StorageCrypto",
    "StorageJSON", "StorageXML", "HTTPTypes",
  ],
  "StorageAuthServer": [
    "AsperaAuth", "CloudCredentials", "HTTPServing", "StorageAuth", "StorageCrypto", "StorageJSON", "StorageXML",
    "HTTPTypes",
  ],
  "StorageAuthTesting": ["StorageAuth", "HTTPTypes"],
  "StorageClientTesting": ["StorageAuth", "StorageClient", "StorageCrypto", "HTTPTypes"],
  "ascp-simulator": ["AsperaAuth", "StorageAuth", "StorageClient", "StorageCrypto", "StorageJSON", "HTTPTypes"],
  "storage-auth": [
    "OSSAuth", "COSAuth", "S3Auth", "AsperaAuth", "AsperaTransfer", "CloudCredentials", "LocalCloud", "SigningJobs",
    "StorageAuth", "StorageAuthServer", "StorageClient", "StorageDiagnosis", "StorageJSON", "HTTPTypes",
  ],
]

/// The modules that are programs.
let programs = ["storage-auth", "ascp-simulator"]

/// The packages of the products, where it is not swift-nio.
let packages = [
  "ArgumentParser": "swift-argument-parser", "AsyncHTTPClient": "async-http-client", "Hummingbird": "hummingbird",
  "HummingbirdCore": "hummingbird", "Logging": "swift-log", "Subprocess": "swift-subprocess",
  "SystemPackage": "swift-system", "UnixSignals": "swift-service-lifecycle",
]

/// What modules use of other packages.
let foreign: [String: [Target.Dependency]] = [
  "AsperaTransfer": products("Client", ["NIOCore", "NIOPosix", "Subprocess", "SystemPackage"]),
  "StorageClient": products(
    "Client",
    [
      "AsyncHTTPClient", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "_NIOFileSystem", "Subprocess", "SystemPackage",
    ]),
  "StorageClientTesting": products("Client", ["SystemPackage"]),
  "HTTPServing": products("Server", ["HummingbirdCore", "Logging", "NIOCore", "NIOHTTP1"]),
  "LocalCloud": products(
    "Server",
    ["HummingbirdCore", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "_NIOFileSystem", "SystemPackage"]),
  "StorageAuthServer": products("Server", ["Hummingbird", "Logging", "NIOCore", "NIOHTTP1"]),
  "ascp-simulator": products("CommandLine", ["NIOCore", "NIOPosix", "_NIOFileSystem", "SystemPackage"]),
  "storage-auth": products(
    "CommandLine", ["ArgumentParser", "Hummingbird", "Logging", "NIOCore", "SystemPackage", "UnixSignals"]),
]

/// Products of other packages, fetched only for consumers that switch a trait on.
func products(_ trait: String, _ names: [String]) -> [Target.Dependency] {
  names.map { .product(name: $0, package: packages[$0, default: "swift-nio"], condition: .when(traits: [trait])) }
}

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let auth: [Target.Dependency] = ["OSSAuth", "COSAuth", "StorageAuth", "StorageCrypto", httpTypes]
let aspera: [Target.Dependency] = ["AsperaAuth", "StorageJSON"]

/// What an example with a server of its own needs besides.
let server: [Target.Dependency] = ["StorageAuthServer"] + products("CommandLine", ["Hummingbird", "Logging"])

/// What holds the readers of foreign bytes that are fuzzed.
let fuzzed: [Target.Dependency] =
  auth + aspera + [
    "S3Auth", "AsperaTransfer", "CloudCredentials", "LocalCloud", "SigningJobs", "StorageAuthServer",
    "StorageAuthTesting", "StorageClient", "StorageCompression", "StorageDiagnosis", "StorageXML",
  ] + products("Server", ["Hummingbird", "NIOCore", "NIOEmbedded", "NIOHTTP1"])

/// A line of `modules` as a target.
func module(_ name: String, _ imports: [String]) -> Target {
  let dependencies = imports.map { $0 == "HTTPTypes" ? httpTypes : .byName(name: $0) } + foreign[name, default: []]
  return programs.contains(name)
    ? .executableTarget(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: rules)
    : .target(name: name, dependencies: dependencies, swiftSettings: rules)
}

/// A module that only tests and examples use.
func support(_ name: String, _ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: testRules)
}

/// A program that shows how something is used.
func example(_ name: String, _ more: [Target.Dependency] = []) -> Target {
  let used = ["ArgumentParser", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "SystemPackage"]
  return .executableTarget(
    name: name, dependencies: more + ["StorageClient", "LocalCloud", "ExampleSupport"] + products("CommandLine", used),
    path: "Examples/\(name)", swiftSettings: testRules)
}

/// A target that stands outside of the package as a consumer does: the compiler gives it nothing but public API.
func outsider(
  _ name: String, _ path: String, _ dependencies: [Target.Dependency], program: Bool = false
) -> Target {
  program
    ? .executableTarget(
      name: name, dependencies: dependencies, path: path, packageAccess: false, swiftSettings: testRules)
    : .target(name: name, dependencies: dependencies, path: path, packageAccess: false, swiftSettings: testRules)
}

/// Tests, with the products of other packages that they use when a trait is on, what is no source, and what is copied.
func tests(
  _ name: String, _ dependencies: [Target.Dependency] = [], client: [String] = [], server: [String] = [],
  path: String? = nil, exclude: [String] = [], copying: [String] = [], packageAccess: Bool = true
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + products("Client", client) + products("Server", server), path: path,
    exclude: exclude, resources: copying.map { .copy($0) }, packageAccess: packageAccess, swiftSettings: testRules)
}

let libraries = [
  "StorageAuth", "OSSAuth", "COSAuth", "S3Auth", "AsperaAuth", "AsperaTransfer", "CloudCredentials", "StorageDiagnosis",
  "StorageClient", "StorageAuthServer", "StorageJSON", "LocalCloud", "StorageAuthTesting", "StorageClientTesting",
]

let package = Package(
  name: "swift-storage-auth",
  platforms: [.macOS(.v15)],
  products: libraries.map { .library(name: $0, targets: [$0]) } + programs.map { .executable(name: $0, targets: [$0]) },
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
  targets: modules.map { module($0.key, $0.value) }
)

package.targets += [
  .target(name: "CCarryless"),
  .systemLibrary(
    name: "CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
  .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
]

// Examples and measurements.
package.targets += [
  .target(
    name: "ExampleSupport", dependencies: ["LocalCloud", "StorageAuth"], path: "Examples/Support", swiftSettings: rules),
  example("OSSExample"),
  example("COSExample"),
  example("S3Example"),
  example("AsperaExample"),
  example("AsperaOnCloudExample"),
  example("AnyProviderExample"),
  example("CredentialsExample"),
  example("TokenServerExample", server),
  example("RemoteSigningExample", auth + server),
  outsider("VerifiedService", "Examples/VerifiedService", ["OSSAuth", "COSAuth", "StorageAuth"] + server),
  outsider(
    "VerifiedServiceExample", "Examples/VerifiedServiceExample",
    server + ["VerifiedService", "StorageAuth"]
      + products("CommandLine", ["ArgumentParser", "NIOCore", "UnixSignals"]),
    program: true),
  outsider(
    "OBSProvider", "Examples/OBSProvider", ["CloudCredentials", "StorageAuth", "StorageClient", httpTypes]),
  outsider("obs-sign", "Tests/Interop/OBSSign", ["OBSProvider", "StorageAuth", httpTypes], program: true),
  outsider("aspera-grant", "Tests/Interop/AsperaGrant", ["LocalCloud", "StorageClient", "StorageJSON"], program: true),
  .executableTarget(
    name: "FormUploadExample",
    dependencies: ["ExampleSupport", "LocalCloud", "OSSAuth", "COSAuth", "StorageAuth", "StorageAuthServer"]
      + products("CommandLine", ["ArgumentParser", "Hummingbird", "NIOCore"]),
    path: "Examples/FormUpload",
    resources: [.embedInCode("page.html")],
    swiftSettings: testRules),
  .target(name: "CAllocationCounter", path: "Benchmarks/CAllocationCounter"),
  .target(name: "CHashBlocks", dependencies: ["CLibcrypto"], path: "Benchmarks/CHashBlocks"),
  .target(name: "CInstructionCounter", path: "Tests/CInstructionCounter"),
  .executableTarget(
    name: "signing-benchmark", dependencies: auth + ["CAllocationCounter", "CHashBlocks", "S3Auth"],
    path: "Benchmarks/Signing",
    resources: [.copy("workloads.json")], swiftSettings: rules),
  .executableTarget(
    name: "transfer-benchmark",
    dependencies: ["OSSAuth", "StorageAuth", "StorageClient", "StorageCrypto", httpTypes]
      + products(
        "CommandLine", ["ArgumentParser", "AsyncHTTPClient", "Hummingbird", "Logging", "NIOCore", "NIOHTTP1"]),
    path: "Benchmarks/Transfer", swiftSettings: testRules),
  .executableTarget(
    name: "fleet", dependencies: ["StorageAuth", "StorageAuthTesting"], path: "Benchmarks/Fleet", swiftSettings: rules),
  support("SigningProperties", "Tests/SigningProperties", ["StorageAuth", "StorageAuthTesting", httpTypes]),
  support("ProcessWatching", "Tests/ProcessWatching"),
  support("LongRun", "Tests/LongRun/Core", ["StorageAuth", "StorageClient", "LocalCloud", "StorageAuthTesting"]),
  .executableTarget(
    name: "long-run", dependencies: ["LongRun"] + products("CommandLine", ["ArgumentParser"]),
    path: "Tests/LongRun/Program", swiftSettings: testRules),
]

package.targets += [
  tests("PackageTests", exclude: ["Arithmetic.txt"]),
  tests("StorageCryptoTests", ["StorageCrypto"]),
  tests("StorageCompressionTests", ["StorageCompression"]),
  tests("StorageJSONTests", ["StorageJSON"]),
  tests("StorageXMLTests", ["StorageXML"]),
  tests(
    "StorageAuthTests", ["StorageAuth", "StorageAuthTesting", "StorageCrypto", "SigningProperties", httpTypes]),
  tests("StorageAuthTestingTests", auth + ["CloudCredentials", "StorageAuthTesting"]),
  tests("OSSAuthTests", auth + ["SigningProperties", "StorageAuthTesting"]),
  tests("COSAuthTests", auth + ["SigningProperties", "StorageAuthTesting"]),
  tests(
    "S3AuthTests",
    [
      "S3Auth", "StorageAuth", "StorageCrypto", "SigningProperties", "StorageAuthTesting", "CAllocationCounter",
      httpTypes,
    ],
    copying: ["Vectors"]),
  tests("VectorTests", auth + ["SigningJobs", "CloudCredentials"], copying: ["Vectors"]),
  tests(
    "CloudCredentialsTests", ["CloudCredentials", "StorageAuth", "StorageAuthTesting", "StorageCrypto", httpTypes]),
  tests(
    "AsperaAuthTests",
    aspera + [
      "CloudCredentials", "StorageAuth", "StorageAuthTesting", "StorageCompression", "StorageCrypto", httpTypes,
    ],
    copying: ["Vectors", "Keys"]),
  tests(
    "AsperaTransferTests",
    aspera + [
      "AsperaTransfer", "CloudCredentials", "ProcessWatching", "StorageAuth", "StorageAuthTesting", "StorageCrypto",
    ],
    client: ["NIOCore", "NIOPosix", "SystemPackage"], exclude: ["Ascp/fake-ascp.py"]),
  tests(
    "RedactionTests", auth + aspera + ["S3Auth", "CloudCredentials", "StorageAuthTesting"],
    exclude: ["check-redaction-coverage.py"]),
  tests(
    "ServerRedactionTests",
    [
      "AsperaTransfer", "CloudCredentials", "LocalCloud", "OSSAuth", "StorageAuthServer", "StorageAuthTesting",
      "StorageClient", "StorageDiagnosis",
    ],
    server: ["Hummingbird", "Logging"]),
  tests(
    "StorageDiagnosisTests",
    auth + [
      "S3Auth", "CloudCredentials", "LocalCloud", "StorageAuthTesting", "StorageClient", "StorageDiagnosis",
      "StorageXML",
    ],
    server: ["NIOCore", "NIOPosix"]),
  tests(
    "StorageClientTests",
    auth + aspera + [
      "AsperaTransfer", "CloudCredentials", "LocalCloud", "LongRun", "ProcessWatching", "StorageAuthTesting",
      "StorageClient", "StorageClientTesting", "StorageDiagnosis", "StorageXML",
    ],
    client: ["AsyncHTTPClient", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "Subprocess"]),
  tests(
    "StorageClientTestingTests",
    ["StorageAuth", "StorageAuthTesting", "StorageClient", "StorageClientTesting", httpTypes],
    client: ["SystemPackage"]),
  tests("HTTPServingTests", ["HTTPServing"], server: ["NIOCore", "NIOEmbedded", "NIOHTTP1"]),
  tests(
    "LocalCloudTests",
    auth + aspera + [
      "CloudCredentials", "HTTPServing", "LocalCloud", "S3Auth", "StorageAuthTesting", "StorageXML",
    ],
    client: ["AsyncHTTPClient"], server: ["NIOCore", "NIOHTTP1", "NIOPosix", "_NIOFileSystem", "SystemPackage"],
    copying: ["Vectors"]),
  tests(
    "StorageAuthServerTests",
    auth + aspera + [
      "CloudCredentials", "LocalCloud", "S3Auth", "StorageAuthServer", "StorageAuthTesting", "StorageClient",
      "VerifiedService",
    ],
    client: ["AsyncHTTPClient"], server: ["Hummingbird", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix"]),
  tests(
    "OBSProviderTests",
    [
      "CloudCredentials", "OBSProvider", "StorageAuth", "StorageAuthServer", "StorageAuthTesting", "StorageClient",
      httpTypes,
    ],
    server: ["Hummingbird", "Logging", "NIOCore", "NIOEmbedded"], copying: ["Vectors"], packageAccess: false),
  tests(
    "ComplexityTests",
    auth + aspera + [
      "S3Auth", "CInstructionCounter", "CloudCredentials", "LocalCloud", "SigningJobs", "StorageClient",
      "StorageDiagnosis", "StorageXML",
    ],
    client: ["NIOCore"]),
  tests("FuzzTests", fuzzed, path: "Tests/Fuzz", exclude: ["Corpus", "Engine", "run.sh"]),
]

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

extension Package {
  /// Leaves only the named targets and what they depend on.
  func keep(_ names: [String]) {
    var kept: Set<String> = []
    var pending = names
    while let name = pending.popLast() {
      guard kept.insert(name).inserted, let target = targets.first(where: { $0.name == name }) else { continue }
      for case .byNameItem(let dependency, _) in target.dependencies { pending.append(dependency) }
    }
    targets.removeAll { !kept.contains($0.name) }
    products.removeAll { !kept.contains($0.name) }
  }
}

// `STORAGE_AUTH_CORE=1` leaves out everything that needs NIO: the libraries without a network and their tests build in a
// minute then, which is what the sanitizers run. `STORAGE_AUTH_CORE=aspera` leaves AsperaTransfer in.
if let extent = Context.environment["STORAGE_AUTH_CORE"] {
  package.keep(
    [
      "StorageCryptoTests", "StorageCompressionTests", "StorageJSONTests", "StorageXMLTests", "StorageAuthTests",
      "StorageAuthTestingTests", "OSSAuthTests", "COSAuthTests", "S3AuthTests", "VectorTests", "CloudCredentialsTests",
      "AsperaAuthTests", "RedactionTests",
    ] + (extent == "aspera" ? ["AsperaTransferTests"] : []))
  var used: Set<String> = []
  for target in package.targets {
    for case .productItem(_, let name?, _, _) in target.dependencies { used.insert(name) }
  }
  package.dependencies.removeAll { dependency in
    guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
    return !used.contains { location.hasSuffix("/\($0)") }
  }
}

// `STORAGE_AUTH_DOCS=1` (`make docs`) and `SPI_GENERATE_DOCS`, which the Swift Package Index sets, add swift-docc-plugin and
// the module of the package's own catalogue. The plugin documents targets only, so the catalogue needs one; it depends on
// the libraries, so that its links to them resolve. Consumers fetch and build neither.
if Context.environment["STORAGE_AUTH_DOCS"] != nil || Context.environment["SPI_GENERATE_DOCS"] != nil {
  package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
  package.targets.append(
    .target(
      name: "SwiftStorageAuth", dependencies: libraries.map { .byName(name: $0) },
      path: "Documentation/SwiftStorageAuth", swiftSettings: rules))
}

// `STORAGE_AUTH_ONLY=OSSAuthTests,COSAuthTests` builds the named targets and what they depend on, so that one module's
// tests are built and run in seconds; every package is still resolved.
if let names = Context.environment["STORAGE_AUTH_ONLY"] {
  package.keep(names.split(separator: ",").map(String.init))
}
