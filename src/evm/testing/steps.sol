// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import "./system-contracts.sol";

// Contracts that do several things with system contracts in one call.

TokenService constant tokens = TokenService(address(0x167));
AccountService constant accounts = AccountService(address(0x16a));
ScheduleService constant schedules = ScheduleService(address(0x16b));

contract Steps {
    error Refused(int64 status);

    function require22(int64 status) private pure {
        if (status != 22) revert Refused(status);
    }

    function newToken() private view returns (Token memory token) {
        token.name = "Made here";
        token.symbol = "MADE";
        token.treasury = address(this);
        token.keys = new TokenKey[](1);
        token.keys[0].keyType = 1 | 4 | 16;
        token.keys[0].value.contractId = address(this);
        token.expiry = Expiry(0, address(this), 7776000);
    }

    // A token of one's own: 100 units, 50 more, 30 for the receiver.
    function issue(address receiver)
        external
        payable
        returns (address token, uint256 supply, uint256 own, uint256 received, string memory symbol)
    {
        int64 status;
        (status, token) = tokens.createFungibleToken{value: msg.value}(newToken(), int64(100), int32(2));
        require22(status);
        (status,,) = tokens.mintToken(token, int64(50), new bytes[](0));
        require22(status);
        require22(tokens.associateToken(receiver, token));
        require22(tokens.transferToken(token, address(this), receiver, 30));
        TokenFacade facade = TokenFacade(token);
        return (token, facade.totalSupply(), facade.balanceOf(address(this)), facade.balanceOf(receiver), facade.symbol());
    }

    // Serials: two minted, one given away, one approved.
    function exhibit(address receiver)
        external
        payable
        returns (address owner1, address owner2, address approved, string memory uri, int64 state)
    {
        (int64 status, address token) = tokens.createNonFungibleToken{value: msg.value}(newToken());
        require22(status);
        bytes[] memory metadata = new bytes[](2);
        metadata[0] = "one";
        metadata[1] = "two";
        int64[] memory serials;
        (status,, serials) = tokens.mintToken(token, int64(0), metadata);
        require22(status);
        require22(tokens.associateToken(receiver, token));
        TokenFacade facade = TokenFacade(token);
        facade.transferFrom(address(this), receiver, uint64(serials[0]));
        facade.approve(receiver, uint64(serials[1]));
        require22(tokens.freezeToken(token, receiver));
        state = tokens.transferNFT(token, receiver, address(this), serials[0]);
        return (
            facade.ownerOf(uint64(serials[0])),
            facade.ownerOf(uint64(serials[1])),
            facade.getApproved(uint64(serials[1])),
            facade.tokenURI(uint64(serials[1])),
            state
        );
    }

    function scheduleTokenAndAsk()
        external
        returns (address schedule, string memory name, int64 supply, int32 decimals, int64 again, int64 deleted)
    {
        bytes4 selector = 0x0fb65bf3;
        int64 status;
        (status, schedule) =
            schedules.scheduleNative(address(tokens), abi.encodeWithSelector(selector, newToken(), int64(70), int32(3)), address(this));
        require22(status);
        FungibleTokenInfo memory info;
        (status, info) = schedules.getScheduledCreateFungibleTokenInfo(schedule);
        require22(status);
        again = ScheduleFacade(schedule).signSchedule();
        deleted = ScheduleFacade(schedule).deleteSchedule();
        return (schedule, info.tokenInfo.token.name, info.tokenInfo.totalSupply, info.decimals, again, deleted);
    }

    function scheduleSelf(uint256 second) external returns (address schedule, int64 deleted, int64 twice) {
        int64 status;
        require(schedules.hasScheduleCapacity(second, 300000));
        (status, schedule) = schedules.scheduleCall(address(this), second, 300000, 0, abi.encodeCall(this.ask, (1)));
        require22(status);
        deleted = schedules.deleteSchedule(schedule);
        twice = schedules.deleteSchedule(schedule);
    }

    // Views leave child records, too.
    function ask(uint256 times) public returns (uint256 found) {
        for (uint256 i = 0; i < times; i++) {
            (, bool isToken) = tokens.isToken(address(uint160(2001)));
            if (isToken) found++;
        }
    }

    function askAndCatch(uint256 times) external returns (bool) {
        try this.ask(times) returns (uint256) {
            return true;
        } catch {
            return false;
        }
    }

    function mintAndRevert(address token) external {
        (int64 status,,) = tokens.mintToken(token, int64(500), new bytes[](0));
        require22(status);
        require22(tokens.transferToken(token, address(uint160(1006)), address(uint160(1001)), 5));
        revert("changed my mind");
    }

    // What a reverted frame did to tokens is gone, what came before and after it stays.
    function mintAround(address token)
        external
        returns (int64 supply, uint256 totalSupply, uint256 balance, string memory reason)
    {
        tokens.mintToken(token, int64(1), new bytes[](0));
        try this.mintAndRevert(token) {
            reason = "none";
        } catch Error(string memory message) {
            reason = message;
        }
        (, supply,) = tokens.mintToken(token, int64(2), new bytes[](0));
        return (supply, TokenFacade(token).totalSupply(), TokenFacade(token).balanceOf(address(uint160(1001))), reason);
    }

    function insist(address account, address token) external {
        tokens.associateToken(account, token);
        tokens.isToken(token);
        (int64 status,,) = tokens.mintToken(token, int64(-1), new bytes[](0));
        require22(status);
    }

    // The caller pays its transfer's custom fees on top, the receiver some of what it gets.
    function payTaxed(address token, address receiver, uint256 amount)
        external
        returns (bool moved, uint256 own, uint256 received, uint256 collected, uint256 shared)
    {
        TokenFacade facade = TokenFacade(token);
        moved = facade.transfer(receiver, amount);
        return (
            moved,
            facade.balanceOf(address(this)),
            facade.balanceOf(receiver),
            facade.balanceOf(address(uint160(1003))),
            facade.balanceOf(address(uint160(0x00b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0)))
        );
    }

    // An account that is not there yet gets units, then tinybars.
    function give(address token, address payable alias_)
        external
        payable
        returns (int64 status, uint256 units, uint256 tinybars, int64 known, address number)
    {
        status = tokens.transferToken(token, address(this), alias_, 7);
        require22(status);
        (bool paid,) = alias_.call{value: msg.value}("");
        require(paid);
        (known, number) = accounts.getHederaAccountNumAlias(alias_);
        return (status, TokenFacade(token).balanceOf(alias_), alias_.balance, known, number);
    }

    function createAccountByValue(address payable alias_) external payable returns (uint256 size, uint256 tinybars) {
        (bool paid,) = alias_.call{value: msg.value}("");
        require(paid);
        assembly {
            size := extcodesize(alias_)
        }
        return (size, alias_.balance);
    }
}
