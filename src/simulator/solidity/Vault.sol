// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Gives what it holds to whoever made it, from a time on. Both stand in its code.
contract Vault {
    address payable public immutable owner;
    uint256 public immutable opening;

    constructor(uint256 opensAt) {
        owner = payable(msg.sender);
        opening = opensAt;
    }

    receive() external payable {}

    function empty() external {
        require(msg.sender == owner && block.timestamp >= opening, "Closed");
        owner.transfer(address(this).balance);
    }
}
