// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Keeps a greeting that anybody may replace who pays for it.
contract Greeter {
    string public greeting;
    uint256 public price;

    constructor(string memory first, uint256 priceOfChange) {
        greeting = first;
        price = priceOfChange;
    }

    function greet(string calldata next) external payable {
        require(msg.value >= price, "Too little");
        greeting = next;
    }
}
