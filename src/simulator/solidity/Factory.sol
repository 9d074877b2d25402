// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// What a factory makes: it knows its maker, and a number.
contract Child {
    address public immutable maker;
    uint256 public number;

    constructor(uint256 first) {
        maker = msg.sender;
        number = first;
    }

    function add(uint256 amount) external {
        number += amount;
    }
}

/// Creates contracts in every way that there is.
contract Factory {
    event Created(address indexed made);

    /// At an address that follows from how many there were before.
    function create(uint256 number) external returns (address made) {
        made = address(new Child(number));
        emit Created(made);
    }

    /// At an address that is known before.
    function createAt(bytes32 salt, uint256 number) external returns (address made) {
        made = address(new Child{salt: salt}(number));
        emit Created(made);
    }

    /// A minimal proxy (ERC-1167).
    function clone(address original) external returns (address made) {
        bytes memory code = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", original, hex"5af43d82803e903d91602b57fd5bf3"
        );
        assembly {
            made := create(0, add(code, 32), mload(code))
        }
        require(made != address(0), "Not made");
        emit Created(made);
    }
}
